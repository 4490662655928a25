/* Arrays on the stack at secret indexes, in the function's own frame and in its caller's. */
#include <stdint.h>

uint32_t at;
int32_t out;

__attribute__((noinline)) static int32_t element(const int32_t *of, uint32_t at)
{
    return of[at];
}

__attribute__((noinline)) static void fill(int32_t *of, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        of[k] = (int32_t)(k * 37 + 11);
}

int main(void)
{
    int32_t large[200], small[4];
    fill(large, 200);
    fill(small, 4);
    small[at] = 5;
    out = element(small, at) + element(large, at);
    return 0;
}
