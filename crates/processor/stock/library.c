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
