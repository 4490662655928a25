#include <blindcore.h>
/* Batcher's odd-even merge sort: 543 comparisons for 64 numbers, at places that are public. */
#define COUNT 64
SECRET uint32_t numbers[COUNT];
OUTPUT uint32_t sorted[COUNT];

int main(void)
{
    for (unsigned i = 0; i < COUNT; i++)
        sorted[i] = numbers[i];
    for (unsigned size = 1; size < COUNT; size *= 2)
        for (unsigned gap = size; gap > 0; gap /= 2)
            for (unsigned from = gap % size; from + gap < COUNT; from += 2 * gap)
                for (unsigned i = from; i < from + gap && i + gap < COUNT; i++)
                    if (i / (2 * size) == (i + gap) / (2 * size)) {
                        uint32_t a = sorted[i], b = sorted[i + gap];
                        sorted[i] = bc_min(a, b);
                        sorted[i + gap] = bc_max(a, b);
                    }
    return 0;
}
