#include <stdint.h>
struct item {
    uint8_t key;
    char rest[4];
};
struct input {
    struct item items[9];
    int32_t words[7], key;
    uint8_t bytes[5];
    int64_t large[6];
};
struct output {
    struct item items[9];
    int32_t words[7], place;
    uint8_t bytes[5];
    int64_t large[6];
};
#include "sides.h"

/* Results as programs write them: a difference, and what a comparison gives. */
static int items(const void *a, const void *b)
{
    return ((const struct item *)a)->key - ((const struct item *)b)->key;
}
static int words(const void *a, const void *b)
{
    int32_t p = *(const int32_t *)a, q = *(const int32_t *)b;
    return (p > q) - (p < q);
}

#ifdef __arm__
#define SORT(array, count, compare) bc_sort(array, count)
#else
#define SORT(array, count, compare) qsort(array, count, sizeof(*(array)), compare)
static int bytes(const void *a, const void *b) { return *(const uint8_t *)a - *(const uint8_t *)b; }
static int large(const void *a, const void *b)
{
    int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
    return (p > q) - (p < q);
}

static void fill(void)
{
    /* Different keys, since the order of equals is nobody's promise. */
    for (int i = 0; i < 9; i++) {
        in.items[i].key = (uint8_t)(any() % 28 * 9 + (uint32_t)i);
        in.items[i].rest[0] = (char)any();
        in.items[i].rest[3] = (char)any();
    }
    for (int i = 0; i < 7; i++)
        in.words[i] = (int32_t)any() >> any() % 32;
    in.key = any() % 2 ? in.words[any() % 7] : (int32_t)any();
    for (int i = 0; i < 5; i++)
        in.bytes[i] = (uint8_t)any();
    for (int i = 0; i < 6; i++)
        in.large[i] = (int64_t)((uint64_t)any() << 32 | any()) >> any() % 64;
}
#endif

static void test(void)
{
    memcpy(out.items, in.items, sizeof(in.items));
    memcpy(out.words, in.words, sizeof(in.words));
    memcpy(out.bytes, in.bytes, sizeof(in.bytes));
    memcpy(out.large, in.large, sizeof(in.large));
    qsort(out.items, 9, sizeof(struct item), items);
    qsort(out.words, 7, sizeof(int32_t), words);
    int32_t *found = bsearch(&in.key, out.words, 7, sizeof(int32_t), words);
    int32_t none = PLACE(found, out.words) < 0;
    out.place = none;
    SORT(out.bytes, 5, bytes);
    SORT(out.large, 6, large);
    SORT(out.words, 7, words);
}
