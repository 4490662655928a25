#include <stdint.h>
struct input {
    int32_t a, b, condition;
    uint32_t c, d, index;
    int64_t e, f;
    int32_t q[4];
    int16_t table[7];
    uint64_t large[5];
};
struct output {
    int32_t chosen[8];
    uint32_t unsigned_chosen[4];
    int64_t wide[4];
    int32_t q[10], integers[2];
    int16_t swapped[7];
    uint8_t bytes[4];
    int64_t looked[4];
};
#include "sides.h"

#ifdef __arm__
#define DIV(a, b) bc_q16_div(a, b)
#define SQRT(a) bc_q16_sqrt(a)
#define MUL(a, b) bc_q16_mul(a, b)
#else
#include <math.h>
#define bc_select(c, a, b) ((c) ? (a) : (b))
#define bc_min(a, b) ((a) < (b) ? (a) : (b))
#define bc_max(a, b) ((a) > (b) ? (a) : (b))
#define bc_lookup(table, count, index) ((table)[index])
#define bc_swap_if(condition, p, q)                                                                \
    if (condition) {                                                                               \
        int16_t kept = *(p);                                                                       \
        *(p) = *(q);                                                                               \
        *(q) = kept;                                                                               \
    }
#define bc_q16_from_int(n) ((n) << 16)
#define bc_q16_to_int(n) ((int32_t)floor((n) / 65536.0 + 0.5))
#define bc_q16_add(a, b) ((int32_t)((uint32_t)(a) + (uint32_t)(b)))
#define bc_q16_sub(a, b) ((int32_t)((uint32_t)(a) - (uint32_t)(b)))
static int32_t rounded(long double x) { return (int32_t)(int64_t)roundl(x); }
#define MUL(a, b) rounded((long double)(a) * (b) / 65536)
#define DIV(a, b) ((b) == 0 ? 0 : rounded((long double)(a) * 65536 / (b)))
#define SQRT(a) ((a) < 0 ? 0 : rounded(sqrtl((long double)(a) * 65536)))

static void fill(void)
{
    in.a = (int32_t)any() >> any() % 32;
    in.b = any() % 4 ? (int32_t)any() >> any() % 32 : in.a;
    in.condition = (int32_t)(any() % 3);
    in.c = any() >> any() % 32;
    in.d = any() >> any() % 32;
    in.index = any() % 5;
    in.e = (int64_t)((uint64_t)any() << 32 | any()) >> any() % 64;
    in.f = (int64_t)((uint64_t)any() << 32 | any()) >> any() % 64;
    for (int i = 0; i < 4; i++)
        in.q[i] = (int32_t)any() >> any() % 32;
    if (any() % 4 == 0)
        in.q[0] = 65537; /* Its root is as close to a half as roots come. */
    for (int i = 0; i < 7; i++)
        in.table[i] = (int16_t)any();
    for (int i = 0; i < 5; i++)
        in.large[i] = (uint64_t)any() << 32 | any();
}
#endif

static void test(void)
{
    int32_t *chosen = out.chosen, *q = out.q;
    *chosen++ = bc_select(in.condition, in.a, in.b);
    *chosen++ = bc_select(in.a < in.b, 5, in.a);
    *chosen++ = bc_min(in.a, in.b);
    *chosen++ = bc_max(in.a, in.b);
    *chosen++ = bc_select(in.condition == 1, (int8_t)in.a, (int8_t)in.b);
    out.unsigned_chosen[0] = bc_min(in.c, in.d);
    out.unsigned_chosen[1] = bc_max(in.c, in.d);
    out.wide[0] = bc_select(in.condition, in.e, in.f);
    out.wide[1] = bc_min(in.e, in.f);
    out.wide[2] = bc_max(in.e, in.f);
    memcpy(out.swapped, in.table, sizeof(in.table));
    bc_swap_if(in.a > in.b, &out.swapped[1], &out.swapped[4]);
    bc_swap_if(in.condition, &out.swapped[0], &out.swapped[6]);
    out.looked[0] = bc_lookup(in.table, 7, in.index);
    out.looked[1] = (int64_t)bc_lookup(in.large, 5, in.index);

    *q++ = bc_q16_from_int((int16_t)in.a);
    *q++ = bc_q16_add(in.q[0], in.q[1]);
    *q++ = bc_q16_sub(in.q[0], in.q[1]);
    *q++ = MUL(in.q[0], in.q[1]);
    *q++ = MUL(in.q[2], -98304);
    *q++ = DIV(in.q[0], in.q[1]);
    *q++ = DIV(in.q[2], in.q[3]);
    *q++ = SQRT(in.q[0]);
    *q++ = SQRT(in.q[2] & 0x7fffffff);
    out.integers[0] = bc_q16_to_int(in.q[0]);
}
