/* A program of two sides. On this machine `fill` makes inputs at random and `test` works on them
 * with the system's library; for the processor `test` works on the same inputs, all of them secret,
 * with ours. What `in` and `out` hold has the same layout on both. */
#ifdef __arm__
#include <blindcore.h>
#else
#define SECRET
#define OUTPUT
#include <stdio.h>
#endif
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

SECRET struct input in;
OUTPUT struct output out;

#define SIGN(x) (((x) > 0) - ((x) < 0))
/* Where a pointer points to in an array; -1 for none. */
#ifdef __arm__
#define PLACE(p, array) place_in((uint32_t)(p), (uint32_t)(array))
static int32_t place_in(uint32_t p, uint32_t array) { return bc_select(p == 0, -1, (int32_t)(p - array)); }
#else
#define PLACE(p, array) place_in((p), (array))
static int32_t place_in(const void *p, const void *array)
{
    return p == NULL ? -1 : (int32_t)((const char *)p - (const char *)array);
}
#endif

static void test(void);

#ifdef __arm__
int main(void)
{
    test();
    return 0;
}
#else
static void fill(void);

static uint64_t state = SEED;
static uint32_t any(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) ^ (uint32_t)(state >> 13) << 31;
}

/* Texts of few different letters, so that they agree; and a zero at the end at the latest. */
static inline void fill_text(char *text, size_t size, const char *letters)
{
    size_t length = any() % size;
    for (size_t i = 0; i < size; i++)
        text[i] = letters[any() % strlen(letters)];
    text[length] = 0;
}

/* The pairs go into a file; what the first of them prints is what a run prints. */
int main(int count, char **arguments)
{
    FILE *pairs = fopen(arguments[count - 1], "wb");
    for (int lane = 0; lane < 64; lane++) {
        memset(&in, 0, sizeof(in));
        memset(&out, 0, sizeof(out));
        fill();
        fwrite(&in, sizeof(in), 1, pairs);
        test();
        fwrite(&out, sizeof(out), 1, pairs);
        if (lane == 0 && freopen("/dev/null", "w", stdout) == NULL)
            return 1;
    }
    return fclose(pairs);
}
#endif
