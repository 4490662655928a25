/* Bytes: their number is public, what they are is not. Byte by byte, since a run costs by the
 * operations on secrets, and a copy is none. */

void *memmove(void *to, const void *from, size_t count)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if (t <= f)
        for (size_t i = 0; i < count; i++)
            t[i] = f[i];
    else
        for (size_t i = count; i-- > 0;)
            t[i] = f[i];
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    for (size_t i = 0; i < count; i++)
        t[i] = f[i];
    return to;
}

void *memset(void *to, int byte, size_t count)
{
    unsigned char *t = to;
    for (size_t i = 0; i < count; i++)
        t[i] = (unsigned char)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t count)
{
    const unsigned char *p = a, *q = b;
    uint32_t result = 0, same = ~0u;
    for (size_t i = 0; i < count; i++) {
        result |= (uint32_t)(p[i] - q[i]) & same;
        same &= bc_mask(p[i] == q[i]);
    }
    return (int)result;
}

void *memchr(const void *bytes, int byte, size_t count)
{
    const unsigned char *p = bytes;
    uint32_t found = 0, before = ~0u;
    for (size_t i = 0; i < count; i++) {
        uint32_t hit = bc_mask(p[i] == (unsigned char)byte) & before;
        found |= hit & (uint32_t)(p + i);
        before &= ~hit;
    }
    return (void *)found;
}

/* The names that compilers call for structures and arrays (RTABI 4.3.4). */
#define COPY(name, function)                                                                       \
    void name(void *to, const void *from, size_t count) { function(to, from, count); }
#define FILL(name)                                                                                 \
    void name(void *to, size_t count, int byte) { memset(to, byte, count); }
#define CLEAR(name)                                                                                \
    void name(void *to, size_t count) { memset(to, 0, count); }
COPY(__aeabi_memcpy, memcpy)
COPY(__aeabi_memcpy4, memcpy)
COPY(__aeabi_memcpy8, memcpy)
COPY(__aeabi_memmove, memmove)
COPY(__aeabi_memmove4, memmove)
COPY(__aeabi_memmove8, memmove)
FILL(__aeabi_memset)
FILL(__aeabi_memset4)
FILL(__aeabi_memset8)
CLEAR(__aeabi_memclr)
CLEAR(__aeabi_memclr4)
CLEAR(__aeabi_memclr8)
