/* Exponentials, logarithms, circular functions. Polynomials are the best of their degree for the
 * reduced argument; what is special is laid over the result by masks. */
#define JOIN(a, b) a##b

#define REAL float
#define BITS uint32_t
#define EXPONENT 8
#define FRACTION 23
#define NAME(name) JOIN(single_, name)
#define MATH(name) JOIN(name, f)
#include "whole.c"
#undef REAL
#undef BITS
#undef EXPONENT
#undef FRACTION
#undef NAME
#undef MATH

#define REAL double
#define BITS uint64_t
#define EXPONENT 11
#define FRACTION 52
#define NAME(name) JOIN(double_, name)
#define MATH(name) name
#include "whole.c"
#undef REAL
#undef BITS
#undef EXPONENT
#undef FRACTION
#undef NAME
#undef MATH

#ifdef __arm__
float sqrtf(float x)
{
    __asm__("vsqrt.f32 %0, %0" : "+t"(x));
    return x;
}
double sqrt(double x)
{
    __asm__("vsqrt.f64 %P0, %P0" : "+w"(x));
    return x;
}
float fmaf(float x, float y, float z)
{
    __asm__("vfma.f32 %0, %1, %2" : "+t"(z) : "t"(x), "t"(y));
    return z;
}
double fma(double x, double y, double z)
{
    __asm__("vfma.f64 %P0, %P1, %P2" : "+w"(z) : "w"(x), "w"(y));
    return z;
}
#endif

/* c[0] + c[1]x + … */
static float single_polynomial(float x, const float *c, int degree)
{
    float sum = c[degree];
    while (degree-- > 0)
        sum = sum * x + c[degree];
    return sum;
}
static double double_polynomial(double x, const double *c, int degree)
{
    double sum = c[degree];
    while (degree-- > 0)
        sum = sum * x + c[degree];
    return sum;
}

/* x·2^n for any n, in two steps, so that what is subnormal is rounded once. */
float ldexpf(float x, int n)
{
    n = bc_select(n > 300, 300, bc_select(n < -300, -300, n));
    int half = n >> 1, third = (n - half) >> 1, rest = n - half - third;
    float y = x * single_real((uint32_t)(rest + 127) << 23);
    y = y * single_real((uint32_t)(third + 127) << 23);
    return y * single_real((uint32_t)(bc_select(half < -126, -126, half) + 127) << 23)
        * single_real((uint32_t)(bc_select(half < -126, half + 126, 0) + 127) << 23);
}
double ldexp(double x, int n)
{
    n = bc_select(n > 2200, 2200, bc_select(n < -2200, -2200, n));
    int half = n >> 1, third = (n - half) >> 1, rest = n - half - third;
    double y = x * double_real((uint64_t)(uint32_t)(rest + 1023) << 52);
    y = y * double_real((uint64_t)(uint32_t)(third + 1023) << 52);
    return y * double_real((uint64_t)(uint32_t)(bc_select(half < -1022, -1022, half) + 1023) << 52)
        * double_real((uint64_t)(uint32_t)(bc_select(half < -1022, half + 1022, 0) + 1023) << 52);
}
float scalbnf(float x, int n) { return ldexpf(x, n); }
double scalbn(double x, int n) { return ldexp(x, n); }

/* e^r·2^n of a small r and n from -1100 to 1100: two factors of powers of two. */
static float single_scaled(float y, int n)
{
    int half = n >> 1;
    y = y * single_real((uint32_t)(half + 127) << 23);
    return y * single_real((uint32_t)(n - half + 127) << 23);
}
static double double_scaled(double y, int n)
{
    int half = n >> 1;
    y = y * double_real((uint64_t)(uint32_t)(half + 1023) << 52);
    return y * double_real((uint64_t)(uint32_t)(n - half + 1023) << 52);
}

static const float single_exp[] = {0.499999999629f, 0.166666673692f, 0.0416667434897f, 0.00833251759082f, 0.00138825335061f, 0.000213740953036f};
static const double double_exp[] = {0x1p-1, 0x1.555555555555dp-3, 0x1.555555555555fp-5, 0x1.111111110e551p-7, 0x1.6c16c16c12c13p-10, 0x1.a01a01b63215ap-13, 0x1.a01a01b6e7f64p-16, 0x1.71dde971574c3p-19, 0x1.27e4ba3151950p-22, 0x1.af7770fdba994p-26, 0x1.1fa517d48ea33p-29};

/* The nearest whole number is in the low bits of the sum with 1.5·2^(bits of the fraction). */
float expf(float x)
{
    const float large = 12582912.0f;
    float y = single_either(x > 90, 90, single_either(x < -105, -105, x));
    float shifted = y * 0x1.715476p+0f + large, n = shifted - large;
    int32_t power = (int32_t)(single_bits(shifted) - single_bits(large));
    float r = (y - n * 0.693115234375f) - n * 3.19461849453e-5f;
    float e = 1 + (r + r * r * single_polynomial(r, single_exp, 5));
    return single_scaled(e, power);
}
double exp(double x)
{
    const double large = 6755399441055744.0;
    double y = double_either(x > 720, 720, double_either(x < -760, -760, x));
    double shifted = y * 0x1.71547652b82fep+0 + large, n = shifted - large;
    int32_t power = (int32_t)(double_bits(shifted) - double_bits(large));
    double r = (y - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
    double e = 1 + (r + r * r * double_polynomial(r, double_exp, 10));
    return double_scaled(e, power);
}
float exp2f(float x)
{
    const float large = 12582912.0f;
    float y = single_either(x > 130, 130, single_either(x < -152, -152, x));
    float shifted = y + large, n = shifted - large;
    int32_t power = (int32_t)(single_bits(shifted) - single_bits(large));
    float r = (y - n) * 0x1.62e43p-1f;
    return single_scaled(1 + (r + r * r * single_polynomial(r, single_exp, 5)), power);
}
double exp2(double x)
{
    const double large = 6755399441055744.0;
    double y = double_either(x > 1030, 1030, double_either(x < -1080, -1080, x));
    double shifted = y + large, n = shifted - large;
    int32_t power = (int32_t)(double_bits(shifted) - double_bits(large));
    double r = (y - n) * 0x1.62e42fefa39efp-1;
    return double_scaled(1 + (r + r * r * double_polynomial(r, double_exp, 10)), power);
}

static const float single_log[] = {0.666666655597f, 0.400003561671f, 0.285358898119f, 0.236105233421f};
static const double double_log[] = {0x1.555555555559cp-1, 0x1.999999997c8b2p-2, 0x1.2492494511f22p-2, 0x1.c71c4f591cf90p-3, 0x1.7466d3386d5c3p-3, 0x1.39921d755fef3p-3, 0x1.2fa8fa0ae0c3ap-3};

/* x = m·2^power with m from √½ to √2, of a positive number. */
struct single_parts { float m; int32_t power; };
static struct single_parts single_split(float x)
{
    uint32_t bits = single_bits(x), small = bc_mask(bits < 0x800000);
    bits = bc_select32(small, single_bits(x * 0x1p24f), bits);
    uint32_t low = bits - 0x3f3504f3; /* √½ */
    int32_t power = ((int32_t)low >> 23) - (int32_t)(small & 24);
    return (struct single_parts){single_real((low & 0x7fffff) + 0x3f3504f3), power};
}
struct double_parts { double m; int32_t power; };
static struct double_parts double_split(double x)
{
    uint64_t bits = double_bits(x), small = double_where(bits < (uint64_t)1 << 52);
    bits = (double_bits(x * 0x1p54) & small) | (bits & ~small);
    uint64_t low = bits - 0x3fe6a09e667f3bcdu; /* √½ */
    int32_t power = (int32_t)(low >> 32) >> 20;
    power -= (int32_t)(small & 54);
    return (struct double_parts){double_real((low & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu), power};
}
/* The logarithm of 1 + f: with s = f/(2 + f) it is 2s and odd powers of s, or f - f²/2 + s(f²/2 + R). */
static float single_log1p(float f)
{
    float s = f / (2 + f), z = s * s, half = 0.5f * f * f;
    return f - (half - s * (half + z * single_polynomial(z, single_log, 3)));
}
static double double_log1p(double f)
{
    double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    return f - (half - s * (half + z * double_polynomial(z, double_log, 6)));
}
static float single_log_result(float x, float y)
{
    y = single_either(x == 0, -INFINITY, y);
    y = single_either(x == INFINITY, x, y);
    return single_either(!(x >= 0), NAN, y);
}
static double double_log_result(double x, double y)
{
    y = double_either(x == 0, -HUGE_VAL, y);
    y = double_either(x == HUGE_VAL, x, y);
    return double_either(!(x >= 0), (double)NAN, y);
}
float logf(float x)
{
    struct single_parts p = single_split(x);
    float n = (float)p.power, f = p.m - 1;
    return single_log_result(x, n * 0.693115234375f + (n * 3.19461849453e-5f + single_log1p(f)));
}
double log(double x)
{
    struct double_parts p = double_split(x);
    double n = p.power, f = p.m - 1;
    return double_log_result(x, n * 0x1.62e42feep-1 + (n * 0x1.a39ef35793c76p-33 + double_log1p(f)));
}
/* Halves of few bits, so that products with them are exact. */
float log2f(float x)
{
    struct single_parts p = single_split(x);
    return single_log_result(x, (float)((double)p.power + (double)single_log1p(p.m - 1) * 0x1.71547652b82fep+0));
}
double log2(double x)
{
    struct double_parts p = double_split(x);
    double y = double_log1p(p.m - 1);
    double high = double_real(double_bits(y) & ~(uint64_t)0xffffffff), low = y - high;
    return double_log_result(x, p.power + high * 0x1.7154760000000p+0 + (low * 0x1.7154760000000p+0 + y * 0x1.4ae0bf85ddf44p-26));
}
float log10f(float x)
{
    struct single_parts p = single_split(x);
    double y = p.power * 0x1.34413509f79ffp-2 + (double)single_log1p(p.m - 1) * 0x1.bcb7b1526e50ep-2;
    return single_log_result(x, (float)y);
}
double log10(double x)
{
    struct double_parts p = double_split(x);
    double n = p.power, y = double_log1p(p.m - 1);
    return double_log_result(x, n * 0x1.3441350800000p-2 + (n * 0x1.f79fef311f12bp-34 + y * 0x1.bcb7b1526e50ep-2));
}

static const float single_sin[] = {-0.166666666396f, 0.00833332914393f, -0.000198392566385f, 2.7175644896e-6f};
static const float single_cos[] = {0.0416666456529f, -0.00138873060446f, 2.4431205098e-5f};
static const double double_sin[] = {-0x1.5555555555547p-3, 0x1.111111110f5f0p-7, -0x1.a01a019bbd209p-13, 0x1.71de352c10632p-19, -0x1.ae5e295650a66p-26, 0x1.5d80ebd372d63p-33};
static const double double_cos[] = {0x1.555555555554ap-5, -0x1.6c16c16c14ebep-10, 0x1.a01a019c6a5d5p-16, -0x1.27e4f7d4a3898p-22, 0x1.1ee9c69cbd169p-29, -0x1.8f9acbc1a69ccp-37};

/* Sine and cosine, by quarters of a turn. Beyond BC_TURNS radians there is no result: a NaN. */
#define BC_TURNS 100000
struct single_pair { float sin, cos; };
static struct single_pair single_circle(float x)
{
    const double large = 6755399441055744.0;
    double shifted = (double)x * 0x1.45f306dc9c883p-1 + large, n = shifted - large;
    uint32_t quarter = (uint32_t)double_bits(shifted);
    float r = (float)((double)x - n * 0x1.921fb54442d18p+0), z = r * r;
    float s = r + r * z * single_polynomial(z, single_sin, 3);
    float c = 1 - (0.5f * z - z * z * single_polynomial(z, single_cos, 2));
    uint32_t odd = bc_mask(quarter & 1), first = single_bits(s), second = single_bits(c);
    uint32_t sine = bc_select32(odd, second, first) ^ (quarter & 2) << 30;
    uint32_t cosine = bc_select32(odd, first, second) ^ ((quarter + 1) & 2) << 30;
    int outside = !(fabsf(x) <= BC_TURNS);
    return (struct single_pair){single_either(outside, NAN, single_real(sine)),
                                single_either(outside, NAN, single_real(cosine))};
}
struct double_pair { double sin, cos; };
static struct double_pair double_circle(double x)
{
    const double large = 6755399441055744.0;
    double shifted = x * 0x1.45f306dc9c883p-1 + large, n = shifted - large;
    uint32_t quarter = (uint32_t)double_bits(shifted);
    double t = x - n * 0x1.921fb544p+0, w = n * 0x1.0b4611a6p-34, u = t - w;
    double rest = ((t - u) - w) - n * 0x1.3198a2e037073p-69;
    double r = u + rest, tail = (u - r) + rest, z = r * r, half = 0.5 * z;
    double s = r + (tail + r * z * double_polynomial(z, double_sin, 5));
    double one = 1 - half;
    double c = one + (((1 - one) - half) + (z * z * double_polynomial(z, double_cos, 5) - r * tail));
    uint64_t odd = double_where(quarter & 1), first = double_bits(s), second = double_bits(c);
    uint64_t sine = ((second & odd) | (first & ~odd)) ^ (uint64_t)(quarter & 2) << 62;
    uint64_t cosine = ((first & odd) | (second & ~odd)) ^ (uint64_t)((quarter + 1) & 2) << 62;
    int outside = !(fabs(x) <= BC_TURNS);
    return (struct double_pair){double_either(outside, (double)NAN, double_real(sine)),
                                double_either(outside, (double)NAN, double_real(cosine))};
}
float sinf(float x) { return single_either(x == 0, x, single_circle(x).sin); }
float cosf(float x) { return single_circle(x).cos; }
float tanf(float x)
{
    struct single_pair pair = single_circle(x);
    return pair.sin / pair.cos;
}
double sin(double x) { return double_either(x == 0, x, double_circle(x).sin); }
double cos(double x) { return double_circle(x).cos; }
double tan(double x)
{
    struct double_pair pair = double_circle(x);
    return double_either(x == 0, x, pair.sin / pair.cos);
}

static const float single_atan[] = {-0.333333138099f, 0.199983775955f, -0.142416072592f, 0.1057859861f, -0.0603749515003f};
static const double double_atan[] = {-0x1.5555555555554p-2, 0x1.99999999995a3p-3, -0x1.2492492470402p-3, 0x1.c71c71b4c407bp-4, -0x1.745d145eafc20p-4, 0x1.3b1366274a46ap-4, -0x1.110bfca480792p-4, 0x1.e168fe1762a85p-5, -0x1.ab43c02630407p-5, 0x1.7003786fddac4p-5, -0x1.1019e460e1bb4p-5, 0x1.e959d886f385cp-7};

/* The angle of a point in the first quarter: from the nearest of 0, an eighth of a turn and a
 * quarter, of tangents up to tan(pi/8). */
static float single_angle(float x, float y)
{
    float sum = x + y, far = y - x;
    int low = y <= 0.41421356f * x, high = x <= 0.41421356f * y;
    float top = single_either(low, y, single_either(high, -x, far));
    float bottom = single_either(low, x, single_either(high, y, sum));
    float t = top / single_either(bottom == 0, 1, bottom), z = t * t;
    float base = single_either(low, 0, single_either(high, 0x1.921fb6p+0f, 0x1.921fb6p-1f));
    return base + (t + t * z * single_polynomial(z, single_atan, 4));
}
static double double_angle(double x, double y)
{
    double sum = x + y, far = y - x;
    int low = y <= 0.41421356237309503 * x, high = x <= 0.41421356237309503 * y;
    double top = double_either(low, y, double_either(high, -x, far));
    double bottom = double_either(low, x, double_either(high, y, sum));
    double t = top / double_either(bottom == 0, 1, bottom), z = t * t;
    double base = double_either(low, 0, double_either(high, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p-1));
    double rest = double_either(low, 0, double_either(high, 0x1.1a62633145c07p-54, 0x1.1a62633145c07p-55));
    return base + (t + (t * z * double_polynomial(z, double_atan, 11) + rest));
}
float atanf(float x)
{
    float size = fabsf(x), y = single_either(size == INFINITY, 0x1.921fb6p+0f, single_angle(1, size));
    return copysignf(single_either(x != x, x, y), x);
}
double atan(double x)
{
    double size = fabs(x);
    double y = double_either(size == HUGE_VAL, 0x1.921fb54442d18p+0, double_angle(1, size));
    return copysign(double_either(x != x, x, y), x);
}
float atan2f(float y, float x) { return (float)atan2(y, x); }
double atan2(double y, double x)
{
    double across = fabs(x), up = fabs(y);
    int both = (across == HUGE_VAL) & (up == HUGE_VAL);
    int along = (across == HUGE_VAL) & (up < HUGE_VAL), upright = (up == HUGE_VAL) & (across < HUGE_VAL);
    /* Of very large or small ones the quotient would overflow on the way. */
    double scale = double_either(fmax(across, up) > 0x1p1000, 0x1p-60, 1);
    scale = double_either(fmax(across, up) < 0x1p-960, 0x1p60, scale);
    across = double_either(both | along, 1, double_either(upright, 0, across * scale));
    up = double_either(both | upright, 1, double_either(along, 0, up * scale));
    double angle = double_angle(across, up);
    angle = double_either(bc_is_negative(x), 0x1.921fb54442d18p+1 - (angle - 0x1.1a62633145c07p-53), angle);
    return double_either((x != x) | (y != y), (double)NAN, copysign(angle, y));
}
float asinf(float x) { return (float)asin(x); }
double asin(double x)
{
    double size = fabs(x), y = double_angle(sqrt((1 - size) * (1 + size)), size);
    return double_either(!(size <= 1), (double)NAN, copysign(y, x));
}
float acosf(float x) { return (float)acos(x); }
double acos(double x)
{
    double size = fabs(x), y = double_angle(size, sqrt((1 - size) * (1 + size)));
    y = double_either(x < 0, 0x1.921fb54442d18p+1 - (y - 0x1.1a62633145c07p-53), y);
    return double_either(!(size <= 1), (double)NAN, y);
}

/* Near zero by the first terms of the series, beyond by exponentials. */
double sinh(double x)
{
    static const double series[] = {0x1.5555555555555p-3, 0x1.1111111111111p-7, 0x1.a01a01a01a01ap-13, 0x1.71de3a556c734p-19, 0x1.ae64567f544e4p-26, 0x1.6124613a86d09p-33, 0x1.ae7f3e733b81fp-41, 0x1.952c77030ad4ap-49, 0x1.2f49b46814157p-57};
    double size = fabs(x), half = exp(0.5 * size), e = 0.5 * half, z = x * x;
    double large = e * half - 0.5 / half / half;
    double small = size + size * z * double_polynomial(z, series, 8);
    return copysign(double_either(size < 1, small, double_either(x != x, x, large)), x);
}
float sinhf(float x) { return (float)sinh(x); }
double cosh(double x)
{
    double half = exp(0.5 * fabs(x));
    return 0.5 * half * half + 0.5 / half / half;
}
float coshf(float x) { return (float)cosh(x); }
double tanh(double x)
{
    double size = fmin(fabs(x), 30), s = sinh(size);
    double y = s / cosh(size);
    return double_either(x != x, x, copysign(y, x));
}
float tanhf(float x) { return (float)tanh(x); }

/* x^y of a positive x: the logarithm as a sum of two doubles, of which the second holds what the
 * first has no room for (Dekker, A floating-point technique for extending the available precision,
 * 1971); so that the product with y is still exact enough. */
static double double_positive_power(double x, double y)
{
    const double large = 6755399441055744.0, per_bit = 0x1.71547652b82fep+0;
    struct double_parts p = double_split(x);
    double n = p.power, f = p.m - 1, t = 2 + f, s = f / t, z = s * s;
    double rest = (fma(-s, t, f) - s * (f - (t - 2))) / t;
    double high = 2 * s, low = 2 * rest + s * z * double_polynomial(z, double_log, 6);
    double bits = high * per_bit;
    low = fma(high, per_bit, -bits) + (high * 0x1.777d0ffda0d24p-56 + low * per_bit);
    double sum = n + bits;
    low += bits - (sum - n);
    double power = y * sum, less = fma(y, sum, -power) + y * low;
    int over = power > 1100, under = power < -1100;
    less = double_either(over | under, 0, less);
    power = double_either(over, 1100, double_either(under, -1100, power));
    double shifted = (power + less) + large, whole = shifted - large;
    double r = ((power - whole) + less) * 0x1.62e42fefa39efp-1;
    double e = 1 + (r + r * r * double_polynomial(r, double_exp, 10));
    return double_scaled(e, (int32_t)(double_bits(shifted) - double_bits(large)));
}
/* |x|^y is the result of the magnitudes; then what is special, the later rules over the earlier ones. */
static double power(double x, double y, double result)
{
    double size = fabs(y);
    double whole = double_whole(y, double_towards_zero);
    double halves = double_whole(0.5 * y, double_towards_zero);
    int is_whole = whole == y, is_odd = is_whole & (2 * halves != y) & (size < 0x1p53);
    uint64_t sign = double_where(is_odd) & double_where(bc_is_negative(x)) & (uint64_t)1 << 63;
    int zero = x == 0, infinite = fabs(x) == HUGE_VAL;
    result = double_either(zero | infinite, double_either(zero ^ (y > 0), HUGE_VAL, 0), result);
    result = double_real(double_bits(result) ^ sign);
    int undefined = (x < 0) & !is_whole & !infinite & (size < HUGE_VAL);
    result = double_either(undefined, (double)NAN, result);
    result = double_either((x != x) | (y != y), (double)NAN, result);
    int one = (y == 0) | (x == 1) | ((x == -1) & (size == HUGE_VAL));
    return double_either(one, 1, result);
}
double pow(double x, double y)
{
    double result = double_positive_power(fabs(x), y);
    /* A whole number to the power of another one is whole, and programs count on it. */
    double near = double_whole(result, double_to_even);
    int whole = (double_whole(x, double_towards_zero) == x) & (double_whole(y, double_towards_zero) == y);
    result = double_either(whole & (y >= 0) & (result < 0x1p51), near, result);
    return power(x, y, result);
}
float powf(float x, float y)
{
    return (float)power(x, y, exp(y * log(fabs((double)x))));
}

double hypot(double x, double y)
{
    double large = fmax(fabs(x), fabs(y)), small = fmin(fabs(x), fabs(y));
    double ratio = double_either((large == 0) | (large == HUGE_VAL), 0, small / large);
    double root = large * sqrt(1 + ratio * ratio);
    root = double_either((x != x) | (y != y), (double)NAN, root);
    return double_either((fabs(x) == HUGE_VAL) | (fabs(y) == HUGE_VAL), HUGE_VAL, root);
}
float hypotf(float x, float y)
{
    double a = x, b = y, root = sqrt(a * a + b * b);
    int infinite = (fabsf(x) == INFINITY) | (fabsf(y) == INFINITY);
    return single_either(infinite, INFINITY, (float)root);
}
