/* Batcher's merge exchange (Knuth, The Art of Computer Programming 3, algorithm 5.2.2 M): for any
 * number of elements, n log²n / 4 comparisons of places that the number alone decides. */
void qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    unsigned char *first = array;
    size_t top = 1;
    if (count < 2)
        return;
    while (top < (count + 1) / 2)
        top *= 2;
    for (size_t p = top; p > 0; p /= 2) {
        size_t q = top, r = 0, d = p;
        for (;;) {
            for (size_t i = 0; i + d < count; i++) {
                unsigned char *a = first + i * size, *b = a + d * size;
                if ((i & p) == r)
                    bc_swap_bytes_if(bc_mask(compare(a, b) > 0), a, b, size);
            }
            if (q == p)
                break;
            d = q - p;
            q /= 2;
            r = p;
        }
    }
}
