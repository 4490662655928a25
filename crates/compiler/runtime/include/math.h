/* Floating-point functions without branches or addresses on data. What each costs in accuracy
 * stands in docs/c.md: sums of fractions, roundings, roots and fused products are exact. */
#ifndef BLINDCORE_MATH_H
#define BLINDCORE_MATH_H

typedef float float_t;
typedef double double_t;

#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

int bc_is_negative(double);
int bc_is_negativef(float);
#define isnan(x) ((x) != (x))
#define isinf(x) (sizeof(x) == 4 ? fabsf(x) == INFINITY : fabs(x) == HUGE_VAL)
#define isfinite(x) (sizeof(x) == 4 ? fabsf(x) < INFINITY : fabs(x) < HUGE_VAL)
#define signbit(x) (sizeof(x) == 4 ? bc_is_negativef(x) : bc_is_negative(x))

#define BC_ONE(name)                                                                               \
    double name(double);                                                                           \
    float name##f(float);
#define BC_TWO(name)                                                                               \
    double name(double, double);                                                                   \
    float name##f(float, float);
BC_ONE(fabs)
BC_ONE(floor)
BC_ONE(ceil)
BC_ONE(trunc)
BC_ONE(round)
BC_ONE(rint)
BC_ONE(nearbyint)
BC_ONE(sqrt)
BC_ONE(exp)
BC_ONE(exp2)
BC_ONE(log)
BC_ONE(log2)
BC_ONE(log10)
BC_ONE(sin)
BC_ONE(cos)
BC_ONE(tan)
BC_ONE(atan)
BC_ONE(asin)
BC_ONE(acos)
BC_ONE(sinh)
BC_ONE(cosh)
BC_ONE(tanh)
BC_TWO(atan2)
BC_TWO(copysign)
BC_TWO(fmin)
BC_TWO(fmax)
BC_TWO(fdim)
BC_TWO(pow)
BC_TWO(hypot)
#undef BC_ONE
#undef BC_TWO
double fma(double, double, double);
float fmaf(float, float, float);
double modf(double, double *);
float modff(float, float *);
double ldexp(double, int);
float ldexpf(float, int);
double scalbn(double, int);
float scalbnf(float, int);
long lround(double);
long lroundf(float);
long lrint(double);
long lrintf(float);

#endif
