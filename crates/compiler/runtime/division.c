/* Quotients. Of words by the processor's instructions; of 64 bits one bit of the quotient at a
 * time, each by one subtraction and one selection, as many for one pair of numbers as for another.
 * Whatever is divided by zero is zero, as the instructions have it. */

struct division {
    uint64_t quotient, remainder;
};

static struct division divide(uint64_t number, uint64_t by)
{
    struct division d = {0, 0};
    uint32_t real = bc_mask(by != 0);
    for (int bit = 63; bit >= 0; bit--) {
        uint32_t over = (uint32_t)(d.remainder >> 63);
        uint64_t remainder = d.remainder << 1 | (number >> 63);
        uint64_t less = remainder - by;
        uint32_t fits = bc_mask((int)(over | (uint32_t)(remainder >= by)));
        number <<= 1;
        d.remainder = bc_select64(fits, less, remainder);
        d.quotient = d.quotient << 1 | (fits & 1);
    }
    d.quotient = bc_select64(real, d.quotient, 0);
    return d;
}

/* -number if the mask is set. */
static uint64_t negate_if(uint32_t mask, uint64_t number)
{
    uint64_t all = (uint64_t)mask << 32 | mask;
    return (number ^ all) - all;
}

static struct division divide_signed(int64_t number, int64_t by)
{
    uint32_t minus = bc_mask(number < 0), by_minus = bc_mask(by < 0);
    struct division d =
        divide(negate_if(minus, (uint64_t)number), negate_if(by_minus, (uint64_t)by));
    d.quotient = negate_if(minus ^ by_minus, d.quotient);
    d.remainder = negate_if(minus, d.remainder);
    return d;
}

/* The names that compilers call. Results that C cannot return lie in r0 to r3 (RTABI 4.3.1). */

uint64_t __aeabi_uidivmod(uint32_t number, uint32_t by)
{
    uint32_t quotient = number / by;
    return (uint64_t)(number - quotient * by) << 32 | quotient;
}

uint64_t __aeabi_idivmod(int32_t number, int32_t by)
{
    int32_t quotient = number / by;
    return (uint64_t)((uint32_t)number - (uint32_t)quotient * (uint32_t)by) << 32 |
           (uint32_t)quotient;
}

uint32_t __aeabi_uidiv(uint32_t number, uint32_t by) { return number / by; }
int32_t __aeabi_idiv(int32_t number, int32_t by) { return number / by; }

__attribute__((used)) static uint64_t bc_uldivmod(uint64_t number, uint64_t by, uint64_t *remainder)
{
    struct division d = divide(number, by);
    *remainder = d.remainder;
    return d.quotient;
}

__attribute__((used)) static int64_t bc_ldivmod(int64_t number, int64_t by, int64_t *remainder)
{
    struct division d = divide_signed(number, by);
    *remainder = (int64_t)d.remainder;
    return (int64_t)d.quotient;
}

/* The quotient stays in r0 and r1; the remainder is left on the stack, and taken from there. */
#define BOTH_RESULTS(function)                                                                     \
    __asm__("push {r6, lr}\n\tsub sp, sp, #16\n\tadd r6, sp, #8\n\tstr r6, [sp]\n\tbl " #function \
            "\n\tldr r2, [sp, #8]\n\tldr r3, [sp, #12]\n\tadd sp, sp, #16\n\tpop {r6, pc}")

__attribute__((naked)) void __aeabi_uldivmod(void) { BOTH_RESULTS(bc_uldivmod); }
__attribute__((naked)) void __aeabi_ldivmod(void) { BOTH_RESULTS(bc_ldivmod); }

lldiv_t lldiv(long long number, long long by)
{
    struct division d = divide_signed(number, by);
    return (lldiv_t){(long long)d.quotient, (long long)d.remainder};
}
