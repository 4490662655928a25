/* A long run: about a million instructions on clear data and ten thousand on secret ones. A table
   of secrets is stirred with what a clear generator yields; five instructions in each round meet
   secrets, about five hundred do not. */
#include <stdint.h>

uint32_t secrets[64];

int main(void)
{
    uint32_t state = 1;
    for (uint32_t round = 0; round < 2000; round++) {
        for (uint32_t i = 0; i < 122; i++) {
            state = state * 1664525 + 1013904223;
            state ^= state >> 15;
        }
        uint32_t *at = &secrets[round % 64];
        *at += secrets[(round * 7 + 1) % 64] ^ state;
    }
    return 0;
}
