#include <stdint.h>
struct input {
    float x, y, z;
    int32_t n;
    double v, w, u;
};
struct output {
    float single[22];
    double twice[22];
    int32_t whole[6];
};
#ifndef __arm__
#include <string.h>
#define BLINDCORE_ON_HOST
#endif
#include "sides.h"
#ifdef __arm__
#include <math.h>
#else
/* The functions of the runtime on this machine; what rounds, roots and fuses is the system's. */
float sqrtf(float), fmaf(float, float, float);
double sqrt(double), fma(double, double, double);
#include "renamed.h"
#include "../../runtime/include/blindcore.h"
#include "../../runtime/include/math.h"
#include "../../runtime/math.c"

static float single(void)
{
    uint32_t bits = any();
    switch (any() % 4) {
    case 0: return (float)(int32_t)bits / 16777216;
    case 1: return (float)(int32_t)(bits % 64) / 4 - 8;
    case 2: return single_real(bits & 0x80000000);
    default: return single_real(bits);
    }
}
static double twice(void)
{
    uint64_t bits = (uint64_t)any() << 32 | any();
    return any() % 2 ? (int64_t)bits * 0x1p-57 : double_real(bits);
}
static void fill(void)
{
    in.x = single(), in.y = single(), in.z = single();
    in.n = (int32_t)(any() % 400) - 200;
    in.v = twice(), in.w = twice(), in.u = twice();
}
#endif

static float one(float x) { return x == x ? x : -1; }
static double two(double x) { return x == x ? x : -1; }

/* NaNs differ in bits between machines, and count as one. */
static void test(void)
{
    float *s = out.single, x = in.x, y = in.y, z = in.z, part;
    double *d = out.twice, v = in.v, w = in.w, u = in.u, piece;
    *s++ = one(floorf(x)), *s++ = one(ceilf(x)), *s++ = one(truncf(x)), *s++ = one(roundf(x));
    *s++ = one(rintf(x)), *s++ = one(sqrtf(x)), *s++ = one(fmaf(x, y, z)), *s++ = one(fminf(x, y));
    *s++ = one(fmaxf(x, y)), *s++ = one(fabsf(x)), *s++ = one(copysignf(x, y));
    *s++ = one(modff(x, &part)), *s++ = one(part), *s++ = one(ldexpf(x, in.n));
    *s++ = one(expf(x)), *s++ = one(logf(y)), *s++ = one(sinf(x)), *s++ = one(cosf(y));
    *s++ = one(powf(x, y)), *s++ = one(exp2f(x)), *s++ = one(log2f(y)), *s++ = one(hypotf(x, y));
    *d++ = two(floor(v)), *d++ = two(ceil(v)), *d++ = two(trunc(v)), *d++ = two(round(v));
    *d++ = two(rint(v)), *d++ = two(sqrt(v)), *d++ = two(fma(v, w, u)), *d++ = two(fmin(v, w));
    *d++ = two(fmax(v, w)), *d++ = two(fabs(v)), *d++ = two(copysign(v, w));
    *d++ = two(modf(v, &piece)), *d++ = two(piece), *d++ = two(ldexp(v, in.n));
    *d++ = two(exp(v)), *d++ = two(log(w)), *d++ = two(sin(v)), *d++ = two(cos(w));
    *d++ = two(pow(v, w)), *d++ = two(exp2(v)), *d++ = two(log10(w)), *d++ = two(hypot(v, w));
    int32_t *n = out.whole;
    *n++ = isnan(x), *n++ = isinf(x), *n++ = isfinite(v), *n++ = signbit(v) != 0;
}
