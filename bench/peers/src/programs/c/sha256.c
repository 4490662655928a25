/* The digest of one block of SHA-256 (FIPS 180-4), padding included in the block. */
unsigned block[16], digest[8];

static const unsigned constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static unsigned turned(unsigned x, int by)
{
    return x >> by | x << (32 - by);
}

int main(void)
{
    unsigned a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
    unsigned e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
    unsigned word[64];

    for (int i = 0; i < 16; i++)
        word[i] = block[i];
    for (int i = 16; i < 64; i++) {
        unsigned old = word[i - 15], new = word[i - 2];
        unsigned s0 = turned(old, 7) ^ turned(old, 18) ^ old >> 3;
        unsigned s1 = turned(new, 17) ^ turned(new, 19) ^ new >> 10;
        word[i] = word[i - 16] + s0 + word[i - 7] + s1;
    }
    for (int i = 0; i < 64; i++) {
        unsigned s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
        unsigned first = h + s1 + (g ^ (e & (f ^ g))) + constants[i] + word[i];
        unsigned s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
        unsigned second = s0 + ((a & b) | (c & (a | b)));
        h = g, g = f, f = e, e = d + first;
        d = c, c = b, b = a, a = first + second;
    }
    digest[0] = 0x6a09e667 + a;
    digest[1] = 0xbb67ae85 + b;
    digest[2] = 0x3c6ef372 + c;
    digest[3] = 0xa54ff53a + d;
    digest[4] = 0x510e527f + e;
    digest[5] = 0x9b05688c + f;
    digest[6] = 0x1f83d9ab + g;
    digest[7] = 0x5be0cd19 + h;
    return 0;
}
