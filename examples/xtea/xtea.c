/* One block of the XTEA cipher (Needham and Wheeler, 1997), 32 rounds. */
#include <stdint.h>

#define ROUNDS 32
#define DELTA 0x9e3779b9u

uint32_t key[4];
uint32_t plain[2];
uint32_t cipher[2];

int main(void)
{
    uint32_t v0 = plain[0];
    uint32_t v1 = plain[1];
    uint32_t sum = 0;

    for (int round = 0; round < ROUNDS; round++) {
        v0 += (((v1 << 4) ^ (v1 >> 5)) + v1) ^ (sum + key[sum & 3]);
        sum += DELTA;
        v1 += (((v0 << 4) ^ (v0 >> 5)) + v0) ^ (sum + key[(sum >> 11) & 3]);
    }

    cipher[0] = v0;
    cipher[1] = v1;
    return 0;
}
