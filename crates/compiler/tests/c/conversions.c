#include <stdint.h>
struct input {
    uint64_t wide, some;
    double large, small;
    float short_large, short_small;
};
struct output {
    double twice[3];
    int64_t wide[4];
    uint64_t unsigned_wide[4];
    float single[4];
    int32_t counts[12];
};
#include "sides.h"

#ifndef __arm__
static uint64_t both(void) { return (uint64_t)any() << 32 | any(); }
/* Ones and zeros in runs, which is where a rounding is close. */
static uint64_t runs(void)
{
    uint64_t bits = both() >> any() % 64;
    uint64_t near = any() % 2 ? (uint64_t)1 << any() % 64 : 0;
    switch (any() % 4) {
    case 0: return bits;
    case 1: return bits << any() % 64;
    case 2: return (bits & both() & both()) ^ (uint64_t)-(any() % 3) ^ near;
    default: return ~(both() >> any() % 64) + any() % 5 - 2 + near;
    }
}
static void fill(void)
{
    in.wide = runs(), in.some = both() >> any() % 64 | 1;
    /* What fits: below 2^63 for signed numbers, and 2^64 for others. */
    in.large = (double)(runs() >> 11 << 11 & ~(uint64_t)0 >> 1) + any() / 4294967296.0;
    if (any() % 2)
        in.large *= 2 / 4294967296.0;
    in.small = (double)(int64_t)runs() / (double)((uint64_t)1 << any() % 64);
    if (in.large >= 9223372036854775808.0)
        in.large = 5;
    if (in.small >= 9223372036854775808.0)
        in.small = -0.75;
    in.short_large = (float)(in.wide >> 1 & ~(uint64_t)0x7fffffffff), in.short_small = (float)in.small;
    if (in.short_small >= 9223372036854775808.0f)
        in.short_small = -0.0f;
}
#endif

static void test(void)
{
    uint64_t u = in.wide;
    int64_t s = (int64_t)u;
    out.twice[0] = (double)u, out.twice[1] = (double)s, out.twice[2] = (double)(s >> 20);
    out.single[0] = (float)u, out.single[1] = (float)s;
    out.single[2] = (float)(u >> 11), out.single[3] = (float)(s >> 30);
    out.unsigned_wide[0] = (uint64_t)in.large, out.unsigned_wide[1] = (uint64_t)in.short_large;
    /* The upper half, too. */
    out.unsigned_wide[2] = (uint64_t)(in.large * 2), out.unsigned_wide[3] = (uint64_t)(in.short_large * 2);
    out.wide[0] = (int64_t)in.large, out.wide[1] = (int64_t)in.short_large;
    out.wide[2] = (int64_t)in.small, out.wide[3] = (int64_t)in.short_small;

    uint64_t n = in.some;
    uint32_t half = (uint32_t)u;
    int32_t *c = out.counts;
    *c++ = __builtin_popcount(half), *c++ = __builtin_popcountll(u);
    *c++ = __builtin_parity(half), *c++ = __builtin_parityll(u);
    *c++ = __builtin_clzll(n), *c++ = __builtin_ctzll(n), *c++ = __builtin_ctzll(n << 32 << (half & 31));
    *c++ = __builtin_ffsll(s), *c++ = __builtin_ffs((int)half), *c++ = __builtin_clrsbll(s);
    *c++ = __builtin_clz((uint32_t)n), *c++ = __builtin_ctz((uint32_t)n);
}
