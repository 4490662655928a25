#include <blindcore.h>
/* CRC-32 of 16 bytes as zip and Ethernet have it, by a table of 256 words that is made first. */
SECRET uint8_t text[16];
OUTPUT uint32_t crc;
static uint32_t table[256];

int main(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t word = i;
        for (int bit = 0; bit < 8; bit++)
            word = word >> 1 ^ (0xedb88320 & -(word & 1));
        table[i] = word;
    }
    uint32_t sum = 0xffffffff;
    for (int i = 0; i < 16; i++)
        sum = sum >> 8 ^ table[(sum ^ text[i]) & 255];
    crc = ~sum;
    return 0;
}
