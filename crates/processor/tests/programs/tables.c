/* Loads and stores at secret indexes, as C has them. */
#include <stdint.h>

/* Indexes, kept in range by whoever sets them. */
uint8_t i16, j12, n5, from1;
int32_t k10;
uint32_t wide, value;

int32_t before[10];
int32_t words[12];
uint8_t bytes[16];
int16_t halves[12];
int64_t doubles[5];
struct { int32_t x; int16_t y[6]; int8_t z; } records[5];
uint16_t grid[5][12];
const uint8_t box[256] = {
    99, 124, 119, 123, 242, 107, 111, 197, 48, 1, 103, 43, 254, 215, 171, 118, 202, 130, 201, 125,
    250, 89, 71, 240, 173, 212, 162, 175, 156, 164, 114, 192, 183, 253, 147, 38, 54, 63, 247, 204,
    52, 165, 229, 241, 113, 216, 49, 21, 4, 199, 35, 195, 24, 150, 5, 154, 7, 18, 128, 226, 235,
};
static const int32_t squares[16] = {
    0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, -225,
};

int32_t r_words, r_sum, r_halves, r_records, r_box, r_squares, r_local, r_walk, r_choice, r_grid;
int32_t r_previous, r_neighbours, r_wide, r_negative, r_hex, r_stack;
int64_t r_doubles;
uint32_t r_pointers;

static const uint8_t *const rows[3] = { box, box + 16, bytes };

/* A function of its own, so that an array of the caller's frame is indexed by a pointer. */
__attribute__((noinline)) static int32_t pick(const int32_t *p, uint32_t at)
{
    return p[at] - p[at + 1];
}

__attribute__((noinline)) static void fill(int32_t *p, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++)
        p[n] = words[n] + n;
}

int main(void)
{
    r_words = words[j12];
    r_sum = before[k10] + words[k10 + 1];
    r_neighbours = words[j12 - (j12 > 0)] * 3 + words[j12 | 1] + before[k10];
    r_previous = halves[from1 - 1] + 2 * before[from1 - 1] + 5 * bytes[from1 - 1];
    r_halves = halves[j12];
    r_doubles = doubles[n5];
    r_records = records[n5].x + records[n5].y[n5] - records[n5].z;
    r_grid = grid[n5][j12];
    r_box = box[bytes[i16]] + box[value & 255];
    r_squares = squares[i16] + squares[15 - i16];
    r_wide = words[wide];
    r_negative = (words + 6)[(int)j12 - 6];
    r_hex = "0123456789abcdef"[i16];
    r_choice = (value & 1 ? words : before)[k10];
    r_pointers = rows[n5 % 3][i16];

    const int32_t *p = words;
    for (int n = 0; n < 11; n++)
        if (*p < (int32_t)value)
            p++;
    r_walk = *p + (p - words);

    int32_t local[11];
    for (int n = 0; n < 11; n++)
        local[n] = words[n] ^ n;
    local[k10] = 77;
    r_local = local[k10 + 1] + local[0];

    int32_t frame[12];
    fill(frame, 12);
    frame[k10] += 5;
    r_stack = pick(frame, k10);

    words[j12] = value;
    bytes[i16] = value >> 8;
    halves[j12]++;
    doubles[n5] = (int64_t)value << 7;
    records[n5].y[n5] -= 3;
    records[n5].z = value;
    grid[n5][j12] = value;
    if (value & 4)
        bytes[15 - i16] = 9;
    return 0;
}
