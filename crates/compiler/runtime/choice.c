/* What blindcore.h offers and does not hold itself. */

static uint64_t element(const unsigned char *at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

/* The upper or the lower half by one bit of the index, which of each by the bits below it: one
 * selection less than there are elements. `span` is a power of two, at least `count`. */
static uint64_t half(const unsigned char *table, size_t count, size_t span, size_t size,
                     uint32_t index)
{
    while (span > 1 && span / 2 >= count)
        span /= 2;
    if (span == 1)
        return element(table, size);
    span /= 2;
    uint64_t low = half(table, span, span, size, index);
    uint64_t high = half(table + span * size, count - span, span, size, index);
    return bc_select64(bc_mask((index & span) != 0), high, low);
}

uint64_t bc_lookup_in(const void *table, size_t count, size_t size, uint32_t index)
{
    size_t span = 1;
    if (count == 0)
        return 0;
    while (span < count)
        span *= 2;
    return half(table, count, span, size, index);
}

void bc_swap_bytes_if(uint32_t mask, void *a, void *b, size_t size)
{
    unsigned char *p = a, *q = b;
    for (size_t i = 0; i < size; i++) {
        unsigned char change = (p[i] ^ q[i]) & mask;
        p[i] ^= change;
        q[i] ^= change;
    }
}

/* The whole part by an instruction, the sixteen bits behind the point by subtractions. */
bc_q16 bc_q16_div(bc_q16 a, bc_q16 b)
{
    uint32_t minus = bc_mask(a < 0), by_minus = bc_mask(b < 0), real = bc_mask(b != 0);
    uint32_t number = ((uint32_t)a ^ minus) - minus, by = ((uint32_t)b ^ by_minus) - by_minus;
    uint32_t quotient = number / by, rest = number - quotient * by;
    for (int bit = 0; bit < 16; bit++) {
        rest <<= 1;
        uint32_t fits = bc_mask(rest >= by);
        rest -= fits & by;
        quotient = quotient << 1 | (fits & 1);
    }
    quotient += bc_mask(rest >= by - rest) & 1;
    minus ^= by_minus;
    return (bc_q16)(((quotient ^ minus) - minus) & real);
}

/* Two digits of a << 16 for each digit of the root. */
bc_q16 bc_q16_sqrt(bc_q16 a)
{
    uint32_t number = (uint32_t)a & ~bc_mask(a < 0), root = 0, rest = 0;
    for (int bit = 0; bit < 24; bit++) {
        uint32_t trial = root << 2 | 1;
        rest = rest << 2 | number >> 30;
        number <<= 2;
        uint32_t fits = bc_mask(rest >= trial);
        rest -= fits & trial;
        root = root << 1 | (fits & 1);
    }
    return (bc_q16)(root + (bc_mask(rest > root) & 1));
}
