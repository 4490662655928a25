/* Arithmetic and texts as stock libraries have them: libgcc's and newlib's routines, and the host's
 * compiler with HOST defined. NaNs count as one. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

uint64_t a = 1, b = 1;
uint64_t r[64];

static double real(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static float single(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static uint64_t d(double x)
{
    uint64_t bits, nan = 0 - (uint64_t)(x != x);
    memcpy(&bits, &x, sizeof x);
    return (bits & ~nan) | (nan & 1);
}
static uint64_t f(float x)
{
    uint32_t bits, nan = 0 - (uint32_t)(x != x);
    memcpy(&bits, &x, sizeof x);
    return (bits & ~nan) | (nan & 1);
}
/* What the processor's conversion gives of what does not fit. */
#ifdef HOST
#define TO(type, x, least, most) ((x) != (x) ? 0 : (x) <= (least) ? (type)(least) : (x) >= (most) ? (type)(most) : (type)(x))
#else
#define TO(type, x, least, most) ((type)(x))
#endif

__attribute__((noinline)) static void arithmetic(uint64_t *to)
{
    double x = real(a), y = real(b);
    float p = single((uint32_t)a), q = single((uint32_t)b);
    *to++ = d(x + y), *to++ = d(x - y), *to++ = d(x * y), *to++ = d(x / y), *to++ = d(-x);
    *to++ = f(p + q), *to++ = f(p - q), *to++ = f(p * q), *to++ = f(p / q), *to++ = f(-p);
    *to++ = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x > y) << 3 | (x >= y) << 4 | (x != y) << 5;
    *to++ = (p < q) | (p <= q) << 1 | (p == q) << 2 | (p > q) << 3 | (p >= q) << 4 | (p != q) << 5;
    *to++ = d(p), *to++ = f((float)x);
    *to++ = d((int32_t)a), *to++ = d((uint32_t)a), *to++ = d((int64_t)a), *to++ = d(a);
    *to++ = f((int32_t)a), *to++ = f((uint32_t)a), *to++ = f((int64_t)a), *to++ = f(a);
    *to++ = (uint32_t)TO(int32_t, x, -0x1p31, 0x7fffffff), *to++ = TO(uint32_t, x, 0, 0xffffffffu);
    *to++ = (uint32_t)TO(int32_t, p, -0x1p31f, 0x7fffffff), *to++ = TO(uint32_t, p, 0, 0xffffffffu);
    double large = (double)a * 0.375;
    *to++ = (uint64_t)large, *to++ = (uint64_t)(int64_t)-large;
    *to++ = (uint64_t)(float)large, *to++ = (uint64_t)(int64_t)(float)-large;
}

__attribute__((noinline)) static void whole(uint64_t *to)
{
    int64_t sa = (int64_t)a, sb = (int64_t)(b >> 1 | 1);
    *to++ = a / (b | 1), *to++ = a % (b | 1), *to++ = (uint64_t)(sa / sb), *to++ = (uint64_t)(sa % -sb);
    *to++ = (uint32_t)a / ((uint32_t)b | 1), *to++ = (uint32_t)((int32_t)a % (int32_t)sb);
    *to++ = a * b, *to++ = a << (b & 63), *to++ = a >> (b & 63), *to++ = (uint64_t)(sa >> (b & 63));
    *to++ = (uint64_t)__builtin_popcountll(a) << 32 | (uint32_t)__builtin_popcount((uint32_t)b);
    *to++ = (uint64_t)__builtin_parityll(a) << 32 | (uint32_t)__builtin_parity((uint32_t)b);
    *to++ = (uint64_t)__builtin_clzll(a | 1) << 32 | (uint32_t)__builtin_ctzll(a | 1ull << 63);
    *to++ = (uint64_t)__builtin_ffsll((long long)b) << 32 | (uint32_t)__builtin_ctzll(b | 1ull << 40);
}

__attribute__((noinline)) static void texts(uint64_t *to)
{
    char *copy = malloc(9);
    memcpy(copy, &a, 8);
    copy[8] = 0;
    int order = memcmp(copy, &b, 8);
    *to++ = (order > 0) - (uint64_t)(order < 0);
    memmove(copy + 1, copy, 7);
    memcpy(to++, copy, 8);
    strcpy(copy, "stock");
    strcat(copy, "s!");
    memcpy(to++, copy, 8);
    *to++ = strlen(copy) << 8 | (strcmp(copy, "stocks") > 0) << 1 | (strchr(copy, 'k') - copy);
    free(copy);
}

int main(void)
{
    arithmetic(r);
    whole(r + 30);
    texts(r + 44);
    return 0;
}

#ifdef HOST
#undef HOST
#include <stdio.h>
__attribute__((destructor)) static void rest(void)
{
    unsigned long long first, second;
    while (scanf("%llu %llu", &first, &second) == 2) {
        a = first;
        b = second;
        main();
        for (int i = 0; i < 48; i++)
            printf("%llu\n", (unsigned long long)r[i]);
    }
}
#endif
