/* What C has no words for: values that are secret, and choosing among them without branching. */
#ifndef BLINDCORE_H
#define BLINDCORE_H

#include <stddef.h>
#include <stdint.h>

/* A variable that is encrypted, or that is wanted afterwards: SECRET uint32_t salary[8]; */
#define SECRET __attribute__((section(".blindcore.secret"), used))
#define OUTPUT __attribute__((section(".blindcore.output"), used))

/* Stands in a loop that secrets end, and says how often it goes round at most, for a run of both
 * paths: while (a != b) { BLINDCORE_BOUND(40); ... }. It is no instruction, but a pair of words in
 * the section .blindcore.bounds, which is not loaded: an address in the loop, and the number. A
 * copy of the loop has a pair of its own; the address of one that was dropped is 0. */
#define BLINDCORE_BOUND(rounds)                                                                    \
    __asm__ volatile("0:\n\t.pushsection .blindcore.bounds, \"\", %%progbits\n\t"                   \
                     ".word 0b, %c0\n\t.popsection"                                                \
                     :                                                                             \
                     : "i"(rounds))

/* All bits as the condition: ~0 if it holds, else 0. Behind the empty instruction the compiler
 * cannot tell that there are only two possibilities, so it cannot make branches of them. */
static inline uint32_t bc_mask(int condition)
{
    uint32_t mask = 0u - (uint32_t)(condition != 0);
    __asm__("" : "+r"(mask));
    return mask;
}

static inline uint32_t bc_select32(uint32_t mask, uint32_t a, uint32_t b)
{
    return b ^ ((a ^ b) & mask);
}

static inline uint64_t bc_select64(uint32_t mask, uint64_t a, uint64_t b)
{
    return b ^ ((a ^ b) & ((uint64_t)mask << 32 | mask));
}

uint64_t bc_lookup_in(const void *table, size_t count, size_t size, uint32_t index);
void bc_swap_bytes_if(uint32_t mask, void *a, void *b, size_t size);

#define BC_BOTH(a, b) __typeof__(1 ? (a) : (b))

/* condition ? a : b, of whole numbers; both are computed. */
#define bc_select(condition, a, b)                                                                 \
    ((BC_BOTH(a, b))(sizeof(BC_BOTH(a, b)) > 4                                                     \
                         ? bc_select64(bc_mask((condition) != 0), (uint64_t)(a), (uint64_t)(b))    \
                         : bc_select32(bc_mask((condition) != 0), (uint32_t)(a), (uint32_t)(b))))

/* The smaller and the larger of two numbers, each of which is evaluated once. */
#define bc_min(a, b)                                                                               \
    __extension__({                                                                                \
        BC_BOTH(a, b) bc_a_ = (a), bc_b_ = (b);                                                    \
        bc_select(bc_a_ < bc_b_, bc_a_, bc_b_);                                                    \
    })
#define bc_max(a, b)                                                                               \
    __extension__({                                                                                \
        BC_BOTH(a, b) bc_a_ = (a), bc_b_ = (b);                                                    \
        bc_select(bc_a_ < bc_b_, bc_b_, bc_a_);                                                    \
    })

/* Exchanges *p and *q, of any one type, if the condition holds. */
#define bc_swap_if(condition, p, q)                                                                \
    bc_swap_bytes_if(bc_mask((condition) != 0), (p), (q), sizeof(*(p)))

/* table[index] of `count` whole numbers, all of which are read. An index from `count` on gives
 * any one of them. */
#define bc_lookup(table, count, index)                                                             \
    ((__typeof__(*(table) + 0))(__typeof__(*(table)))bc_lookup_in((table), (count),                \
                                                                 sizeof(*(table)), (index)))

void bc_sort_in(void *array, size_t count, size_t size, int is_signed);

/* Puts `count` whole numbers in order, the smallest first, by a sorting network. */
#define bc_sort(array, count)                                                                      \
    bc_sort_in((array), (count), sizeof(*(array)), (__typeof__(*(array)))-1 < 1)

/* Numbers of 16 bits before the point and 16 behind it, from -32768 up to 32768. What does not fit
 * goes round, as with unsigned numbers. Products, quotients and roots are rounded to the nearest
 * number, halves away from zero. */
typedef int32_t bc_q16;
#define BC_Q16_ONE ((bc_q16)65536)
/* Of a constant: BC_Q16(3.25). */
#define BC_Q16(number) ((bc_q16)((number) * 65536 + ((number) < 0 ? -0.5 : 0.5)))

static inline bc_q16 bc_q16_from_int(int32_t number) { return (bc_q16)((uint32_t)number << 16); }
/* To the nearest whole number, halves upwards. */
static inline int32_t bc_q16_to_int(bc_q16 a)
{
    return (a >> 16) + (int32_t)((uint32_t)a >> 15 & 1);
}
static inline bc_q16 bc_q16_add(bc_q16 a, bc_q16 b) { return (bc_q16)((uint32_t)a + (uint32_t)b); }
static inline bc_q16 bc_q16_sub(bc_q16 a, bc_q16 b) { return (bc_q16)((uint32_t)a - (uint32_t)b); }
static inline bc_q16 bc_q16_mul(bc_q16 a, bc_q16 b)
{
    int64_t product = (int64_t)a * b;
    return (bc_q16)((product + 0x8000 + (product >> 63)) >> 16);
}
/* Of anything by zero: zero. */
bc_q16 bc_q16_div(bc_q16 a, bc_q16 b);
/* Of a negative number: zero. */
bc_q16 bc_q16_sqrt(bc_q16 a);

#endif
