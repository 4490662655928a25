/* How far the runtime's functions are from the true values, in units of the last place of the
 * result, on this machine; the reference has 64 bits and more. Prints a line for each function. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#undef isnan
#undef isinf
#undef isfinite
#undef signbit
#undef HUGE_VAL
#undef HUGE_VALF
#undef INFINITY
#undef NAN
#include "renamed.h"
#include "../../runtime/include/blindcore.h"
#include "../../runtime/include/math.h"
#include "../../runtime/math.c"

static uint64_t state = 1;
static uint64_t any(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 31 ^ state << 33;
}

/* Numbers of a precision, of any size or from -limit to limit. */
static float single(double limit)
{
    if (limit > 0)
        return (float)((int64_t)any() * 0x1p-63 * limit);
    uint32_t bits = (uint32_t)any();
    return single_real(bits);
}
static double twice(double limit)
{
    return limit > 0 ? (int64_t)any() * 0x1p-63 * limit : double_real(any());
}

/* The distance of a float from the true value in its own units; huge where one is special alone. */
static double off(double ours, long double true_value, int bits, int least)
{
    double rounded = bits == 24 ? (double)(float)true_value : (double)true_value;
    if (ours != ours || rounded != rounded)
        return (ours != ours) == (rounded != rounded) ? 0 : 1e300;
    if (ours == rounded)
        return 0;
    if (fabsl(ours) == HUGE_VAL || fabsl(rounded) == HUGE_VAL)
        return fabsl(true_value) > (bits == 24 ? 0x1.fffffcp127L : 0x1.ffffffffffffep1023L) ? 1 : 1e300;
    int exponent;
    frexpl(true_value, &exponent);
    exponent = exponent - bits > least ? exponent - bits : least;
    return (double)(fabsl(ours - true_value) * ldexpl(1, -exponent));
}

#define ONE(name, count, limit)                                                                    \
    {                                                                                              \
        double worst[2] = {0, 0}, at[2] = {0, 0};                                                  \
        for (int i = 0; i < (count); i++) {                                                        \
            double x = single(i % 4 == 0 ? 0 : (limit)), y = twice(i % 4 == 0 ? 0 : (limit));      \
            double far = fabsl(x) > OUTSIDE ? 0 : off(JOIN(our_##name, f)((float)x), name##l(x), 24, -149);    \
            if (far > worst[0])                                                                    \
                worst[0] = far, at[0] = x;                                                         \
            far = fabsl(y) > OUTSIDE ? 0 : off(our_##name(y), name##l(y), 53, -1074);                    \
            if (far > worst[1])                                                                    \
                worst[1] = far, at[1] = y;                                                         \
        }                                                                                          \
        printf("%s %.3f %.3f at %a %a\n", #name, worst[0], worst[1], at[0], at[1]);                \
    }
#define TWO(name, count, first, second)                                                            \
    {                                                                                              \
        double worst[2] = {0, 0}, at[4] = {0};                                                     \
        for (int i = 0; i < (count); i++) {                                                        \
            double x = single(i % 4 ? (first) : 0), y = single(i % 8 < 4 ? (second) : 0);          \
            double far = off(JOIN(our_##name, f)((float)x, (float)y), name##l(x, y), 24, -149);                \
            if (far > worst[0])                                                                    \
                worst[0] = far, at[0] = x, at[1] = y;                                              \
            x = twice(i % 4 ? (first) : 0), y = twice(i % 8 < 4 ? (second) : 0);                   \
            far = off(our_##name(x, y), name##l(x, y), 53, -1074);                                       \
            if (far > worst[1])                                                                    \
                worst[1] = far, at[2] = x, at[3] = y;                                              \
        }                                                                                          \
        printf("%s %.3f %.3f at %a %a, %a %a\n", #name, worst[0], worst[1], at[0], at[1], at[2],   \
               at[3]);                                                                             \
    }

int main(int count, char **arguments)
{
    int points = count > 1 ? atoi(arguments[1]) : 1000;
#define OUTSIDE 1e308
    ONE(floor, points, 100)
    ONE(ceil, points, 100)
    ONE(trunc, points, 100)
    ONE(round, points, 100)
    ONE(rint, points, 100)
    ONE(exp, points, 110)
    ONE(exp2, points, 160)
    ONE(log, points, 4)
    ONE(log2, points, 4)
    ONE(log10, points, 4)
    ONE(atan, points, 4)
    ONE(asin, points, 1)
    ONE(acos, points, 1)
    ONE(sinh, points, 4)
    ONE(cosh, points, 4)
    ONE(tanh, points, 4)
    TWO(atan2, points, 20, 20)
#undef OUTSIDE
#define OUTSIDE 100000
    ONE(sin, points, 10)
    ONE(cos, points, 10)
    ONE(tan, points, 10)
    TWO(pow, points, 20, 20)
    TWO(hypot, points, 20, 20)
    TWO(fmin, points, 20, 20)
    TWO(fmax, points, 20, 20)
    /* Whole powers of whole numbers are exact. */
    for (int base = -40; base <= 40; base++) {
        double power = 1;
        for (int n = 0; fabs(power) < 0x1p51; n++, power *= base) {
            if (our_pow(base, n) != power || (fabs(power) < 0x1p24 && our_powf(base, n) != power))
                return 1;
            if (base * base <= 1 && n > 20)
                break;
        }
    }
    return 0;
}
