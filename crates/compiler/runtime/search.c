/* Compares with every element: where a search by halves looks next tells what is searched for. */
void *bsearch(const void *key, const void *array, size_t count, size_t size,
              int (*compare)(const void *, const void *))
{
    const unsigned char *element = array;
    uint32_t found = 0;
    for (size_t i = 0; i < count; i++, element += size)
        found = bc_select32(bc_mask(compare(key, element) == 0), (uint32_t)element, found);
    return (void *)found;
}
