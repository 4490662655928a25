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
