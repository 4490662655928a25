#include <stdint.h>
struct input {
    uint8_t bytes[16];
};
struct output {
    uint8_t bytes[48];
    uint32_t facts[10];
    int64_t wide[6];
    uint64_t unsigned_wide[6];
};
#include "sides.h"
#define BIG ((size_t)-1 / 2)

#ifndef __arm__
static void fill(void)
{
    for (int i = 0; i < 16; i++)
        in.bytes[i] = (uint8_t)any();
}
#endif

struct large {
    uint8_t bytes[16];
    int64_t wide;
};
static struct large passed(struct large given)
{
    given.wide = ~given.wide;
    return given;
}

static void test(void)
{
    uint32_t *fact = out.facts;
    uint8_t *first = malloc(5), *second = calloc(4, 4), *third = malloc(16);
    *fact++ = ((uintptr_t)first | (uintptr_t)second | (uintptr_t)third) % 8 == 0;
    for (int i = 0; i < 16; i++)
        *fact |= second[i];
    fact++;
    memcpy(third, in.bytes, 16);
    third = realloc(third, 24);
    memset(third + 16, 7, 8);
    memcpy(out.bytes, third, 24);
    first = realloc(first, 40); /* It is not the last: it moves. */
    memcpy(first, in.bytes, 16);
    memmove(first + 3, first, 12);
    memmove(first + 1, first + 2, 9);
    memcpy(out.bytes + 24, first, 16);
    free(third);
    free(first);
    free(second);
    free(NULL);
    *fact++ = malloc(BIG) == NULL;
    *fact++ = calloc(BIG, 16) == NULL;
    for (int i = 0; i < 1000; i++) { /* What is given back at the end is given again. */
        void *block = malloc(65536);
        *fact |= block == NULL;
        free(block);
    }

    int64_t *wide = out.wide, a, b;
    memcpy(&a, in.bytes, 8);
    memcpy(&b, in.bytes + 8, 8);
    b >>= in.bytes[0] & 63;
    *wide++ = a * b;
    *wide++ = (int64_t)((uint64_t)a << (in.bytes[1] & 63));
    *wide++ = a >> (in.bytes[2] & 63);
    *wide++ = (int64_t)((uint64_t)a >> (in.bytes[3] & 63));
    *wide++ = (a < b) + 2 * ((uint64_t)a < (uint64_t)b);
    b |= 1;
    out.unsigned_wide[0] = (uint64_t)a / (uint64_t)b;
    out.unsigned_wide[1] = (uint64_t)a % (uint64_t)b;
    struct large given = {{0}, a};
    memcpy(given.bytes, in.bytes, 16);
    given = passed(given);
    out.unsigned_wide[2] = (uint64_t)given.wide + given.bytes[15];
    out.unsigned_wide[3] = (uint64_t)(a / (b | 1));
    out.unsigned_wide[4] = (uint64_t)(a % (b | 1));
    int32_t n = (int32_t)a, by = (int32_t)(b >> 40) | 1;
    out.unsigned_wide[5] = (uint64_t)(uint32_t)(n / by) << 32 | (uint32_t)(n % by);
}
