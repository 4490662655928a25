/* Memory from one array, upwards. A block that ends where the next one would begin is given back
 * or grows in place; others stay until the end. Sizes are public. */

#ifndef BC_HEAP_BYTES
#define BC_HEAP_BYTES 1048576
#endif

/* Labels and no variables: what has no name in C is no output of a program. */
#define BC_TEXT(number) BC_TEXT_OF(number)
#define BC_TEXT_OF(number) #number
__asm__("\t.section .bss.bc_heap, \"aw\", %nobits\n"
        "\t.balign 8\n"
        "bc_heap:\n"
        "\t.space " BC_TEXT(BC_HEAP_BYTES) "\n"
        "bc_heap_used:\n"
        "\t.space 4\n"
        "\t.text\n");
extern unsigned char bc_heap[];
extern size_t bc_heap_used;

/* Its size lies before each block. */
static size_t *size_of(void *block) { return (size_t *)block - 2; }

static size_t rounded(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

static int is_last(void *block)
{
    return (unsigned char *)block + rounded(*size_of(block)) == bc_heap + bc_heap_used;
}

void *malloc(size_t bytes)
{
    size_t left = (BC_HEAP_BYTES) - bc_heap_used;
    if (left < 8 || bytes > left - 8 || rounded(bytes) > left - 8)
        return NULL;
    unsigned char *block = bc_heap + bc_heap_used + 8;
    bc_heap_used += 8 + rounded(bytes);
    *size_of(block) = bytes;
    return block;
}

void *calloc(size_t count, size_t size)
{
    if (size != 0 && count > (size_t)-1 / size)
        return NULL;
    void *block = malloc(count * size);
    return block == NULL ? NULL : memset(block, 0, count * size);
}

void free(void *block)
{
    if (block != NULL && is_last(block))
        bc_heap_used -= 8 + rounded(*size_of(block));
}

void *realloc(void *block, size_t bytes)
{
    if (block == NULL)
        return malloc(bytes);
    size_t had = *size_of(block), used = bc_heap_used;
    free(block);
    void *other = malloc(bytes);
    if (other == NULL)
        bc_heap_used = used; /* The old block stays as it was. */
    if (other == NULL || other == block)
        return other;
    return memcpy(other, block, had < bytes ? had : bytes);
}
