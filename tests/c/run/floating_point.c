// leaks: 0
// Floating point: arithmetic in float and double, comparisons, conversions, special values.
#include <float.h>
#include <stdio.h>

static double square_root(double v) {
    double x = v > 1 ? v : 1;
    for (int i = 0; i < 60; i++)
        x = (x + v / x) / 2;
    return x;
}

static double power(double base, int exponent) {
    double result = 1;
    int negative = exponent < 0;
    for (unsigned int e = (unsigned int)(negative ? -exponent : exponent); e; e >>= 1) {
        if (e & 1)
            result *= base;
        base *= base;
    }
    return negative ? 1 / result : result;
}

static double pi_by_series(int terms) {
    double sum = 0;
    for (int i = terms; i-- > 0;)
        sum += (i & 1 ? -4.0 : 4.0) / (2 * i + 1);
    return sum;
}

static float mean(const float *v, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i];
    return sum / n;
}

static double horner(const double *c, int n, double x) {
    double r = 0;
    while (n-- > 0)
        r = r * x + c[n];
    return r;
}

static int classify(double v) {
    if (v != v)
        return 0;
    if (v > DBL_MAX || v < -DBL_MAX)
        return 1;
    return v == 0 ? 2 : 3;
}

int main(void) {
    printf("%.10f %.10f\n", square_root(2), square_root(12345.678));
    printf("%.6e %g %g\n", power(1.5, 20), power(2, -10), power(-3, 5));
    printf("%.8f\n", pi_by_series(1000));
    float samples[] = { 1.5f, 2.25f, -0.75f, 1e3f };
    printf("%f\n", mean(samples, 4));
    double polynomial[] = { 1, -2, 0.5, 3 };
    printf("%g %g\n", horner(polynomial, 4, 2), horner(polynomial, 4, -0.5));

    volatile double zero = 0;
    double infinity = 1 / zero;
    double nan = zero / zero;
    printf("%d %d %d %d %d\n", classify(nan), classify(infinity), classify(-infinity), classify(-zero), classify(1));
    printf("%d %d %d %d\n", nan == nan, nan != nan, nan < 1, nan >= 1);
    printf("%d %d\n", !(nan < 1), infinity > DBL_MAX);
    printf("%g %g\n", infinity, -infinity);
    printf("%d %g\n", zero == -zero, -zero);

    float third = 1.0f / 3;
    double wide = 1.0 / 3;
    printf("%d %.9f %.17f\n", third == wide, third, wide);
    printf("%.1f %.1f\n", 0.1f + 0.2f, 16777216.0f + 1.0f);
    printf("%d\n", 0.1 + 0.2 == 0.3);
    printf("%d %d %d %d\n", (int)2.99, (int)-2.99, (int)(float)16777217, (int)1e9);
    printf("%u %lld %llu\n", (unsigned int)3e9, (long long)-1e18, (unsigned long long)1e19);
    printf("%.1f %.1f %.1f\n", (double)-7, (double)4000000000u, (double)(1ull << 63));
    printf("%g %g\n", (float)1e10, (double)(float)0.1);

    double total = 0;
    for (double step = 1; step > 1e-9; step /= 2)
        total += step;
    printf("%.12f\n", total);
    double x = 10;
    x += 2.5;
    x *= 2;
    x -= 1;
    x /= 3;
    x++;
    --x;
    printf("%g %d %d\n", x, !x, x && zero);
    double a = 3.5;
    int i = 7;
    printf("%g %g %d\n", i / 2 + a, i / 2. + a, i / (int)a);
    double matrix[2][2] = { { 4, 3 }, { 6, 3 } };
    printf("%g\n", matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0]);
    printf("%g\n", a > 3 ? a : i);
    return 0;
}
