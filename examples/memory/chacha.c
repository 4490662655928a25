#include <blindcore.h>
/* One block of ChaCha20's key stream (RFC 8439): sums, XORs and rotations, no table. */
SECRET uint32_t key[8];
SECRET uint32_t nonce[3], counter;
OUTPUT uint32_t block[16];

static inline uint32_t rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }

static inline void quarter(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *a += *b, *d = rotate(*d ^ *a, 16);
    *c += *d, *b = rotate(*b ^ *c, 12);
    *a += *b, *d = rotate(*d ^ *a, 8);
    *c += *d, *b = rotate(*b ^ *c, 7);
}

int main(void)
{
    uint32_t first[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
    for (int i = 0; i < 8; i++)
        first[4 + i] = key[i];
    first[12] = counter;
    for (int i = 0; i < 3; i++)
        first[13 + i] = nonce[i];
    for (int i = 0; i < 16; i++)
        x[i] = first[i];
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 4; i++)
            quarter(&x[i], &x[4 + i], &x[8 + i], &x[12 + i]);
        for (int i = 0; i < 4; i++)
            quarter(&x[i], &x[4 + (i + 1) % 4], &x[8 + (i + 2) % 4], &x[12 + (i + 3) % 4]);
    }
    for (int i = 0; i < 16; i++)
        block[i] = x[i] + first[i];
    return 0;
}
