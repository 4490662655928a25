#include <blindcore.h>
/* Binary search in twelve steps: the place of the first word that is not below the one wanted. */
#define WORDS 4096
SECRET uint32_t sorted[WORDS];
SECRET uint32_t wanted;
OUTPUT uint16_t position;
OUTPUT _Bool found;

int main(void)
{
    uint32_t base = 0;
    for (uint32_t step = WORDS / 2; step > 0; step /= 2)
        base += step & bc_mask(sorted[base + step - 1] < wanted);
    /* All words but the last one are behind us if it is still below. */
    uint32_t last = sorted[base];
    position = base + (last < wanted);
    found = last == wanted;
    return 0;
}
