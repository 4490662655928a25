/* Bytes, halves, signs, shifts, bit fields, 64-bit arithmetic, stores of single bytes. */
#include <stdint.h>

uint8_t bytes[8];
int16_t halves[4];
uint32_t amount;
uint8_t sorted[8];
uint32_t shifted, rotated, arithmetic;
int32_t dot;
uint64_t product;
int64_t accumulated;
uint32_t packed, reversed, leading;
int32_t quotient, remainder_;

static inline uint8_t low(uint8_t a, uint8_t b) { return a < b ? a : b; }
static inline uint8_t high(uint8_t a, uint8_t b) { return a < b ? b : a; }

int main(void)
{
    for (int i = 0; i < 8; i++) sorted[i] = bytes[i];
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7 - i; j++) {
            uint8_t a = sorted[j], b = sorted[j + 1];
            sorted[j] = low(a, b);
            sorted[j + 1] = high(a, b);
        }
    uint32_t word = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    shifted = word << (amount & 31);
    rotated = (word >> (amount & 31)) | (word << (-amount & 31));
    arithmetic = (uint32_t)((int32_t)word >> (amount & 31));
    dot = halves[0] * halves[1] - halves[2] * halves[3];
    product = (uint64_t)word * (word ^ 0x5a5a5a5a);
    accumulated = (int64_t)dot * halves[0] + halves[1];
    packed = (word & 0x00ff00ff) | ((uint32_t)halves[3] & 0xff) << 8;
    reversed = __builtin_bswap32(word);
    leading = (uint32_t)__builtin_clz(word | 1);
    quotient = dot / (halves[0] | 1);
    remainder_ = dot % (halves[0] | 1);
    return 0;
}
