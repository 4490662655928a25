/* Nothing is secret: a sieve, a checksum by bits and a sort, over a million instructions with the
   mix of loads, stores, branches and calls that a compiler makes of such code. */
typedef unsigned int u32;
typedef unsigned char u8;

enum { LIMIT = 20000, WORDS = 250 };

static u8 composite[LIMIT];
static u32 words[WORDS];
u32 primes;
u32 checksum;
u32 median;

static u32 __attribute__((noinline)) crc(u32 sum, u32 byte) {
    sum ^= byte;
    for (int i = 0; i < 8; i++) {
        sum = sum & 1 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
    }
    return sum;
}

int main(void) {
    for (u32 i = 2; i < LIMIT; i++) {
        if (!composite[i]) {
            primes++;
            for (u32 j = 2 * i; j < LIMIT; j += i) {
                composite[j] = 1;
            }
        }
    }
    u32 sum = ~0u;
    for (u32 i = 0; i < LIMIT; i++) {
        sum = crc(sum, composite[i]);
        words[i % WORDS] = sum;
    }
    checksum = ~sum;
    for (u32 i = 1; i < WORDS; i++) {
        u32 word = words[i], j = i;
        for (; j > 0 && words[j - 1] > word; j--) {
            words[j] = words[j - 1];
        }
        words[j] = word;
    }
    median = words[WORDS / 2];
    return 0;
}
