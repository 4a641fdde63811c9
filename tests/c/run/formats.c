// leaks: 0
// The formats of printf and snprintf: widths, precisions, flags, lengths, truncation.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void line(const char *label, const char *text) { printf("%-8s|%s|\n", label, text); }

int main(void) {
    printf("%d %i %u %x %X %o %c %%\n", -5, 12, 34u, 255, 255, 8, 'c');
    printf("[%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, 42, 42, 42, 42);
    printf("[%.3d] [%8.3d] [%-8.3d] [%.0d]\n", 7, 7, 7, 0);
    printf("[%#x] [%#o] [%#X] [%#x]\n", 255, 8, 48879, 0);
    printf("[%*d] [%-*d] [%.*d] [%*d]\n", 6, 1, 6, 2, 3, 3, -4, 9);
    signed char tiny = -3;
    unsigned short half = 65533;
    printf("%hhd %hhu %hd %hu\n", tiny, (unsigned char)tiny, (short)half, half);
    printf("%ld %lu %lx\n", -1234567890123L, 18446744073709551615UL, 0xdeadbeefcafeUL);
    printf("%lld %llu %llx %llo\n", -9223372036854775807LL, 1ull << 63, ~0ull, 8ull);
    printf("%zu %zd %jd %td\n", (size_t)17, (ptrdiff_t)-17, (intmax_t)-99, (ptrdiff_t)5);
    printf("[%s] [%10s] [%-10s] [%.2s] [%10.3s] [%.*s]\n", "text", "text", "text", "text", "text", 1, "text");
    printf("[%c] [%3c] [%-3c]\n", 'a', 'b', 'c');
    printf("%f %f %.0f %.1f %.10f\n", 3.14159265, -0.5, 2.5, 0.05, 1.0 / 3);
    printf("[%8.2f] [%-8.2f] [%08.2f] [%+.1f] [% .1f] [%#.0f]\n", 3.14159, 3.14159, -3.14159, 2.0, 2.0, 2.0);
    printf("%e %.2e %E %.0e\n", 12345.678, 0.00012345, 1e100, 5e-5);
    printf("%g %g %g %g %g %g\n", 100000.0, 1000000.0, 0.0001, 0.00001, 1e-10, 123456789.0);
    printf("%.3g %.10g %G %#g\n", 3.14159265, 3.14159265, 1e-20, 1.5);
    printf("%s %d\n", "", 0);

    char buffer[32];
    size_t room = 6;
    int length = snprintf(buffer, sizeof buffer, "%s=%d", "answer", 42);
    printf("%s %d\n", buffer, length);
    length = snprintf(buffer, room, "%s", "truncated text");
    printf("%s %d\n", buffer, length);
    length = snprintf(NULL, 0, "%d-%s-%c", 12345, "abc", 'z');
    printf("%d\n", length);
    room = 1;
    length = snprintf(buffer, room, "x");
    printf("[%s] %d\n", buffer, length);
    sprintf(buffer, "%03d%03d", 1, 22);
    line("sprintf", buffer);

    size_t used = 0;
    for (int i = 0; i < 5; i++)
        used += (size_t)snprintf(buffer + used, sizeof buffer - used, i ? ",%d" : "%d", i * i);
    line("joined", buffer);

    char table[4][12];
    for (int i = 0; i < 4; i++)
        snprintf(table[i], sizeof table[i], "%4d%5.1f", i * 333, i / 3.0);
    for (int i = 0; i < 4; i++)
        line("row", table[i]);

    const uint8_t bytes[] = { 0, 1, 0x7f, 0x80, 0xff };
    for (size_t i = 0; i < sizeof bytes; i++)
        printf("%02x%s", bytes[i], i + 1 < sizeof bytes ? ":" : "\n");
    int written = printf("count me\n");
    printf("%d\n", written);
    puts("a plain line");
    fputs("no newline ", stdout);
    fputc('!', stdout);
    putchar('\n');
    fprintf(stdout, "%s %zu\n", "to stdout", strlen("to stdout"));
    return 0;
}
