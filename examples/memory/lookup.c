#include <blindcore.h>
/* A hash map: open addressing, eight places looked at in any case. A key 0 is an empty place. */
#define SLOTS 4096
#define PROBES 8
SECRET uint32_t keys[SLOTS], values[SLOTS];
SECRET uint32_t wanted;
OUTPUT uint32_t answer;
OUTPUT _Bool found;

int main(void)
{
    uint32_t slot = wanted * 2654435769u >> 20, here = 0, hits = 0;
    /* Unrolled, because compilers may count in `place`, and then a secret ends the loop. */
#pragma GCC unroll 8
    for (uint32_t i = 0; i < PROBES; i++) {
        uint32_t place = (slot + i) & (SLOTS - 1);
        uint32_t hit = bc_mask((keys[place] == wanted) & (wanted != 0));
        here |= values[place] & hit;
        hits |= hit;
    }
    answer = here;
    found = hits & 1;
    return 0;
}
