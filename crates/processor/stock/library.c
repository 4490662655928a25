/* What stands in for routines of stock libraries: the library of `blindcore cc`, and the arithmetic
 * that compilers call for numbers with a fraction where a processor lacks it (RTABI 4.1.2), by the
 * instructions of one that has it. No branch depends on an operand. */
#include "../../compiler/runtime/runtime.c"

#define SUM(name, REAL, formula)                                                                   \
    REAL name(REAL a, REAL b) { return formula; }
#define ORDER(name, REAL, formula)                                                                 \
    int name(REAL a, REAL b) { return formula; }
#define CONVERSION(name, FROM, TO)                                                                 \
    TO name(FROM a) { return (TO)a; }

#define REALS(letter, REAL)                                                                        \
    SUM(__aeabi_##letter##add, REAL, a + b)                                                        \
    SUM(__aeabi_##letter##sub, REAL, a - b)                                                        \
    SUM(__aeabi_##letter##rsub, REAL, b - a)                                                       \
    SUM(__aeabi_##letter##mul, REAL, a *b)                                                         \
    SUM(__aeabi_##letter##div, REAL, a / b)                                                        \
    ORDER(__aeabi_##letter##cmpeq, REAL, a == b)                                                   \
    ORDER(__aeabi_##letter##cmplt, REAL, a < b)                                                    \
    ORDER(__aeabi_##letter##cmple, REAL, a <= b)                                                   \
    ORDER(__aeabi_##letter##cmpgt, REAL, a > b)                                                    \
    ORDER(__aeabi_##letter##cmpge, REAL, a >= b)                                                   \
    ORDER(__aeabi_##letter##cmpun, REAL, __builtin_isunordered(a, b))                              \
    CONVERSION(__aeabi_i2##letter, int32_t, REAL)                                                  \
    CONVERSION(__aeabi_ui2##letter, uint32_t, REAL)                                                \
    CONVERSION(__aeabi_##letter##2iz, REAL, int32_t)                                               \
    CONVERSION(__aeabi_##letter##2uiz, REAL, uint32_t)
REALS(f, float)
REALS(d, double)
CONVERSION(__aeabi_f2d, float, double)
CONVERSION(__aeabi_d2f, double, float)

/* The signs of zeros and NaNs change as well, which a subtraction would not do. */
uint32_t __aeabi_fneg(uint32_t bits) { return bits ^ 0x80000000u; }
uint64_t __aeabi_dneg(uint64_t bits) { return bits ^ 0x8000000000000000u; }

/* Comparisons that leave flags, and all registers but those of floating point. */
#define FLAGS(name, load)                                                                          \
    __attribute__((naked)) void name(void)                                                         \
    {                                                                                              \
        __asm__(load "\n\tvmrs APSR_nzcv, fpscr\n\tbx lr");                                        \
    }
#define DOUBLES "vmov d6, r0, r1\n\tvmov d7, r2, r3\n\t"
#define SINGLES "vmov s12, r0\n\tvmov s14, r1\n\t"
FLAGS(__aeabi_cdcmpeq, DOUBLES "vcmp.f64 d6, d7")
FLAGS(__aeabi_cdcmple, DOUBLES "vcmp.f64 d6, d7")
FLAGS(__aeabi_cdrcmple, DOUBLES "vcmp.f64 d7, d6")
FLAGS(__aeabi_cfcmpeq, SINGLES "vcmp.f32 s12, s14")
FLAGS(__aeabi_cfcmple, SINGLES "vcmp.f32 s12, s14")
FLAGS(__aeabi_cfrcmple, SINGLES "vcmp.f32 s14, s12")

/* Both halves of 64 bits are exact, and so is their product by 2^32: one rounding. */
double __aeabi_ul2d(uint64_t a)
{
    return (double)(uint32_t)(a >> 32) * 0x1p32 + (double)(uint32_t)a;
}
double __aeabi_l2d(int64_t a) { return (double)(int32_t)(a >> 32) * 0x1p32 + (double)(uint32_t)a; }

/* Of 64 bits those stay that a double holds; whether any other is set goes into the last of them,
 * which is far below the place where a single is rounded. */
float __aeabi_ul2f(uint64_t a)
{
    uint32_t long_ = bc_mask(a >> 53 != 0), low = (uint32_t)a & 2047 & long_;
    a = (a & ~(uint64_t)low) | (bc_mask(low != 0) & 2048);
    return (float)__aeabi_ul2d(a);
}
float __aeabi_l2f(int64_t a)
{
    uint32_t minus = bc_mask(a < 0), bits;
    float magnitude = __aeabi_ul2f(negate_if(minus, (uint64_t)a));
    __builtin_memcpy(&bits, &magnitude, sizeof bits);
    bits |= minus & 0x80000000u;
    __builtin_memcpy(&magnitude, &bits, sizeof bits);
    return magnitude;
}

/* The upper half is what fits of the number by 2^32, and the rest is exact. */
uint64_t __aeabi_d2ulz(double a)
{
    uint32_t high = (uint32_t)(a * 0x1p-32);
    return (uint64_t)high << 32 | (uint32_t)(a - (double)high * 0x1p32);
}
int64_t __aeabi_d2lz(double a)
{
    uint32_t minus = bc_mask(a < 0);
    return (int64_t)negate_if(minus, __aeabi_d2ulz(__builtin_fabs(a)));
}
uint64_t __aeabi_f2ulz(float a) { return __aeabi_d2ulz((double)a); }
int64_t __aeabi_f2lz(float a) { return __aeabi_d2lz((double)a); }

uint32_t __aeabi_h2f(uint32_t half)
{
    uint32_t single;
    __asm__("vmov s15, %1\n\tvcvtb.f32.f16 s15, s15\n\tvmov %0, s15" : "=r"(single) : "r"(half) : "s15");
    return single;
}
uint32_t __aeabi_f2h(uint32_t single)
{
    uint32_t half;
    __asm__("vmov s15, %1\n\tvcvtb.f16.f32 s15, s15\n\tvmov %0, s15" : "=r"(half) : "r"(single) : "s15");
    return half & 0xffff;
}

/* Counts of bits, by sums of neighbours. */
int __popcountsi2(uint32_t a)
{
    a -= a >> 1 & 0x55555555u;
    a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
    a = (a + (a >> 4)) & 0x0f0f0f0fu;
    a += a >> 8;
    return (int)((a + (a >> 16)) & 63);
}
int __popcountdi2(uint64_t a) { return __popcountsi2((uint32_t)a) + __popcountsi2((uint32_t)(a >> 32)); }
int __paritysi2(uint32_t a)
{
    a ^= a >> 16;
    a ^= a >> 8;
    a ^= a >> 4;
    a ^= a >> 2;
    return (int)((a ^ a >> 1) & 1);
}
int __paritydi2(uint64_t a) { return __paritysi2((uint32_t)a ^ (uint32_t)(a >> 32)); }

/* Of zero, the number of bits. */
int __clzsi2(uint32_t a)
{
    uint32_t zeros;
    __asm__("clz %0, %1" : "=r"(zeros) : "r"(a));
    return (int)zeros;
}
int __ctzsi2(uint32_t a)
{
    uint32_t reversed;
    __asm__("rbit %0, %1" : "=r"(reversed) : "r"(a));
    return __clzsi2(reversed);
}
int __clzdi2(uint64_t a)
{
    uint32_t low = (uint32_t)a, high = (uint32_t)(a >> 32), none = bc_mask(high == 0);
    return __clzsi2((int)bc_select32(none, low, high)) + (int)(none & 32);
}
int __ctzdi2(uint64_t a)
{
    uint32_t low = (uint32_t)a, high = (uint32_t)(a >> 32), none = bc_mask(low == 0);
    return __ctzsi2((int)bc_select32(none, high, low)) + (int)(none & 32);
}
int __ffsdi2(uint64_t a) { return (__ctzdi2(a) + 1) & (int)bc_mask(a != 0); }
uint32_t __bswapsi2(uint32_t a)
{
    uint32_t reversed;
    __asm__("rev %0, %1" : "=r"(reversed) : "r"(a));
    return reversed;
}
uint64_t __bswapdi2(uint64_t a)
{
    return (uint64_t)__bswapsi2((uint32_t)a) << 32 | __bswapsi2((uint32_t)(a >> 32));
}

void _exit(int status) { exit(status); }
void __assert_func(const char *file, int line, const char *function, const char *condition)
{
    (void)function;
    bc_assertion_failed(condition, file, line);
}
