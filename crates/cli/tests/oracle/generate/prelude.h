typedef unsigned long long u64;
int printf(const char *, ...);
void *memcpy(void *, const void *, __SIZE_TYPE__);
void *memset(void *, int, __SIZE_TYPE__);
void *malloc(__SIZE_TYPE__);
void free(void *);

static u64 sum = 14695981039346656037ull;
static int fuel, work;

static void mix(u64 value) {
    sum = (sum ^ value) * 1099511628211ull;
    sum ^= sum >> 29;
}

static void mix_wide(unsigned __int128 value) {
    mix((u64)value);
    mix((u64)(value >> 64));
}

/* All that is not a number counts as one, since its sign and payload are the machine's affair. */
static void mix_real(double value) {
    u64 bits = 1;
    if (value == value)
        memcpy(&bits, &value, sizeof bits);
    mix(bits);
}

static void show(void) { printf("%016llx\n", sum); }

/* Conversions from floating point that are defined for every number. */
static long long to_signed(double value) { return value > -9e18 && value < 9e18 ? (long long)value : 7; }
static u64 to_unsigned(double value) { return value > -1 && value < 1.8e19 ? (u64)value : 9; }

struct Pair {
    long long whole;
    double real;
};

/* Arguments by kind: int, long, double, pair, text. */
static u64 gather(const char *kinds, ...) {
    __builtin_va_list list, second;
    u64 result = 0;
    __builtin_va_start(list, kinds);
    __builtin_va_copy(second, list);
    for (int turn = 0; turn < 2; turn++) {
        for (const char *kind = kinds; *kind; kind++) {
            result = result * 31 + (u64)*kind;
            switch (*kind) {
            case 'i':
                result ^= (unsigned)__builtin_va_arg(list, int);
                break;
            case 'l':
                result ^= (u64)__builtin_va_arg(list, long long);
                break;
            case 'd':
                result ^= (u64)to_signed(__builtin_va_arg(list, double));
                break;
            case 'p': {
                struct Pair pair = __builtin_va_arg(list, struct Pair);
                result += (u64)pair.whole ^ (u64)to_signed(pair.real);
                break;
            }
            case 's':
                for (const char *text = __builtin_va_arg(list, const char *); *text; text++)
                    result = result * 33 + (unsigned char)*text;
                break;
            default:
                break;
            }
        }
        __builtin_va_end(list);
        __builtin_va_copy(list, second);
    }
    __builtin_va_end(list);
    __builtin_va_end(second);
    return result;
}

static int add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
static int turn(int a, int b) { return (int)((unsigned)a << (b & 31) | (unsigned)a >> (-b & 31)); }
static int larger(int a, int b) { return a > b ? a : b; }
static int shuffle(int a, int b) {
    switch (b & 7) {
    case 0:
        a ^= 0x55;
        /* fall through */
    case 3:
        return add(a, 3);
    case 5:
        return turn(a, 5);
    default:
        return a ^ b;
    }
}
static int (*const operations[4])(int, int) = {add, turn, larger, shuffle};

