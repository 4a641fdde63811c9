// leaks: 0
// Switches: ranges, fall-through, sparse and dense cases, long and negative values, nesting.
#include <stdint.h>
#include <stdio.h>

static const char *classify(int c) {
    switch (c) {
    case 'a' ... 'z':
        return "lower";
    case 'A' ... 'Z':
        return "upper";
    case '0' ... '9':
        return "digit";
    case ' ':
    case '\t':
    case '\n':
        return "space";
    case -100 ... -1:
        return "negative";
    default:
        return "other";
    }
}

static int fall_through(int n) {
    int total = 0;
    switch (n) {
    case 5:
        total += 5;
        // Falls through.
    case 4:
        total += 4;
        // Falls through.
    case 3:
        total += 3;
        break;
    case 2:
        total += 20;
        // Falls through.
    default:
        total += 100;
    }
    return total;
}

static int sparse(long v) {
    switch (v) {
    case 0:
        return 1;
    case 1000000:
        return 2;
    case -1000000:
        return 3;
    case 0x7fffffffffffffffL:
        return 4;
    case -0x7fffffffffffffffL - 1:
        return 5;
    case 0x100000000L:
        return 6;
    }
    return 0;
}

static int days(int month, int year) {
    switch (month) {
    case 4:
    case 6:
    case 9:
    case 11:
        return 30;
    case 2:
        switch (year % 4) {
        case 0:
            if (year % 100 == 0 && year % 400 != 0) {
                return 28;
            } else {
        case 5:
                return 29;
            }
        default:
            return 28;
        }
    default:
        return 31;
    }
}

enum token { NUMBER, PLUS, TIMES, END };

static enum token next(const char **text, int *value) {
    for (;;) {
        switch (**text) {
        case '\0':
            return END;
        case '+':
            ++*text;
            return PLUS;
        case '*':
            ++*text;
            return TIMES;
        case '0' ... '9':
            *value = 0;
            while (**text >= '0' && **text <= '9')
                *value = *value * 10 + *(*text)++ - '0';
            return NUMBER;
        default:
            ++*text;
            continue;
        }
    }
}

static int unsigned_cases(unsigned char c) {
    switch (c) {
    case 0:
        return 10;
    case 128 ... 254:
        return 11;
    case 255:
        return 12;
    default:
        return 13;
    }
}

static int empty_and_default_first(int n) {
    int r = 1;
    switch (n) {
    }
    switch (n) {
    default:
        r += 1;
    case 7:
        r += 10;
        break;
    case 8:
        r += 100;
    }
    return r;
}

int main(void) {
    const int samples[] = { 'q', 'Q', '5', ' ', '\t', '!', -5, 1000 };
    for (int i = 0; i < 8; i++)
        printf("%s ", classify(samples[i]));
    putchar('\n');
    for (int i = 0; i < 7; i++)
        printf("%d ", fall_through(i));
    putchar('\n');
    printf("%d %d %d %d %d %d %d\n", sparse(0), sparse(1000000), sparse(-1000000), sparse(INT64_MAX), sparse(INT64_MIN),
           sparse(0x100000000L), sparse(1));
    printf("%d %d %d %d %d\n", days(2, 2000), days(2, 1900), days(2, 2024), days(2, 2023), days(11, 1));
    const char *text = " 12 + 30*4 ";
    int value;
    for (enum token t = next(&text, &value); t != END; t = next(&text, &value))
        t == NUMBER ? printf("%d:%d ", t, value) : printf("%d ", t);
    putchar('\n');
    printf("%d %d %d %d\n", unsigned_cases(0), unsigned_cases(200), unsigned_cases(255), unsigned_cases(1));
    printf("%d %d %d\n", empty_and_default_first(0), empty_and_default_first(7), empty_and_default_first(8));
    return 0;
}
