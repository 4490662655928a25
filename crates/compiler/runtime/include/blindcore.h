/* What C has no words for: values that are secret, and choosing among them without branching. */
#ifndef BLINDCORE_H
#define BLINDCORE_H

#include <stddef.h>
#include <stdint.h>

/* A variable that is encrypted, or that is wanted afterwards: SECRET uint32_t salary[8]; */
#define SECRET __attribute__((section(".blindcore.secret"), used))
#define OUTPUT __attribute__((section(".blindcore.output"), used))

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

#endif
