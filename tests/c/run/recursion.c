// leaks: 0
// Recursion: deep, double, mutual, through pointers, with arrays on the stack.
#include <stdio.h>
#include <string.h>

static unsigned long calls;

static unsigned int ackermann(unsigned int m, unsigned int n) {
    calls++;
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static int hanoi(int disks, char from, char to, char spare, int print) {
    if (disks == 0)
        return 0;
    int moves = hanoi(disks - 1, from, spare, to, print);
    if (print)
        printf("%d%c%c ", disks, from, to);
    return moves + 1 + hanoi(disks - 1, spare, to, from, print);
}

static int permutations(char *text, int at) {
    int length = (int)strlen(text);
    if (at == length) {
        printf("%s ", text);
        return 1;
    }
    int count = 0;
    for (int i = at; i < length; i++) {
        char t = text[at];
        text[at] = text[i];
        text[i] = t;
        count += permutations(text, at + 1);
        text[i] = text[at];
        text[at] = t;
    }
    return count;
}

static int is_odd(unsigned int n);
static int is_even(unsigned int n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(unsigned int n) { return n == 0 ? 0 : is_even(n - 1); }

static int queens(int n, int row, int *columns) {
    if (row == n)
        return 1;
    int found = 0;
    for (int c = 0; c < n; c++) {
        int safe = 1;
        for (int r = 0; r < row && safe; r++)
            safe = columns[r] != c && columns[r] - c != row - r && c - columns[r] != row - r;
        if (safe) {
            columns[row] = c;
            found += queens(n, row + 1, columns);
        }
    }
    return found;
}

static long gcd(long a, long b) { return b ? gcd(b, a % b) : a; }

static int palindrome(const char *left, const char *right) {
    return left >= right || (*left == *right && palindrome(left + 1, right - 1));
}

static unsigned long long fibonacci(int n, unsigned long long *memory) {
    if (n < 2)
        return (unsigned long long)n;
    if (!memory[n])
        memory[n] = fibonacci(n - 1, memory) + fibonacci(n - 2, memory);
    return memory[n];
}

static int depth_with_array(int n) {
    int local[4] = { n, n * 2, n * 3, n * 4 };
    if (n == 0)
        return 0;
    int below = depth_with_array(n - 1);
    return below + local[n & 3];
}

static void print_binary(unsigned int n) {
    if (n > 1)
        print_binary(n / 2);
    putchar('0' + (int)(n & 1));
}

int main(void) {
    printf("%u ", ackermann(2, 6));
    printf("%lu\n", calls);
    printf("\n%d\n", hanoi(3, 'A', 'C', 'B', 1));
    printf("%d\n", hanoi(10, 'A', 'C', 'B', 0));
    char text[] = "abc";
    printf("\n%d %s\n", permutations(text, 0), text);
    printf("%d %d\n", is_even(200), is_odd(200));
    int columns[8];
    printf("%d %d\n", queens(6, 0, columns), queens(5, 0, columns));
    printf("%ld\n", gcd(1071, 462));
    const char *word = "rotator";
    printf("%d %d\n", palindrome(word, word + 6), palindrome(word, word + 5));
    unsigned long long memory[91] = { 0 };
    printf("%llu\n", fibonacci(90, memory));
    printf("%d\n", depth_with_array(300));
    print_binary(1234567);
    putchar('\n');
    return 0;
}
