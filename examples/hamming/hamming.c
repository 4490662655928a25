/* How different are two texts of eight letters? */
#include <stdint.h>

#define LENGTH 8

char left[LENGTH];
char right[LENGTH];

uint32_t letters; /* positions at which the texts differ */
uint32_t bits;    /* bits at which their bytes differ */

int main(void)
{
    uint32_t different_letters = 0;
    uint32_t different_bits = 0;

    for (int i = 0; i < LENGTH; i++) {
        uint8_t difference = left[i] ^ right[i];
        if (difference != 0)
            different_letters++;

        /* Count the ones of a byte by adding neighbours: pairs, fours, all eight. */
        uint8_t ones = difference;
        ones = (ones & 0x55) + ((ones >> 1) & 0x55);
        ones = (ones & 0x33) + ((ones >> 2) & 0x33);
        ones = (ones & 0x0f) + (ones >> 4);
        different_bits += ones;
    }

    letters = different_letters;
    bits = different_bits;
    return 0;
}
