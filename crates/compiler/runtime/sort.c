/* Batcher's merge exchange (Knuth, The Art of Computer Programming 3, algorithm 5.2.2 M): for any
 * number of elements, n log²n / 4 comparisons of places that the number alone decides. */

struct order {
    size_t size;
    int (*compare)(const void *, const void *); /* NULL: they are numbers, perhaps signed */
    int is_signed;
};

static void exchange(const struct order *order, unsigned char *a, unsigned char *b)
{
    size_t size = order->size;
    int above;
    if (order->compare != NULL) {
        above = order->compare(a, b) > 0;
    } else if (size <= 4) {
        uint32_t top = order->is_signed ? 1u << (8 * size - 1) : 0;
        above = ((uint32_t)element(a, size) ^ top) > ((uint32_t)element(b, size) ^ top);
    } else {
        uint64_t top = order->is_signed ? 1ull << (8 * size - 1) : 0;
        above = (element(a, size) ^ top) > (element(b, size) ^ top);
    }
    bc_swap_bytes_if(bc_mask(above), a, b, size);
}

static void sort(unsigned char *first, size_t count, const struct order *order)
{
    size_t top = 1;
    if (count < 2)
        return;
    while (top < (count + 1) / 2)
        top *= 2;
    for (size_t p = top; p > 0; p /= 2) {
        size_t q = top, r = 0, d = p;
        for (;;) {
            for (size_t i = 0; i + d < count; i++)
                if ((i & p) == r)
                    exchange(order, first + i * order->size, first + (i + d) * order->size);
            if (q == p)
                break;
            d = q - p;
            q /= 2;
            r = p;
        }
    }
}

void qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    struct order order = {size, compare, 0};
    sort(array, count, &order);
}

void bc_sort_in(void *array, size_t count, size_t size, int is_signed)
{
    struct order order = {size, NULL, is_signed};
    sort(array, count, &order);
}
