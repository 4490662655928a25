/* Texts. Where the size of an array is known, every byte of it is read, and a mask says whether
 * the text's end is still ahead. Where it is not, the text ends at its zero, which is a branch. */

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* The size of an array, or that of the public text in it. */
static size_t extent(const char *text, size_t size)
{
    if (size != BC_UNKNOWN)
        return size;
    size = 0;
    while (text[size] != 0) /* The array is not known: take strnlen, or pass the array itself. */
        size++;
    return size + 1;
}

size_t bc_strlen(const char *text, size_t size)
{
    uint32_t length = 0, before = ~0u;
    size = extent(text, size);
    for (size_t i = 0; i < size; i++) {
        uint32_t end = bc_mask(text[i] == 0) & before;
        length |= end & i;
        before &= ~end;
    }
    return length | (before & size);
}

char *bc_strcpy(char *to, size_t room, const char *from, size_t size)
{
    uint32_t before = ~0u;
    size = smaller(room, extent(from, size));
    for (size_t i = 0; i < size; i++) {
        to[i] = (char)bc_select32(before, (unsigned char)from[i], (unsigned char)to[i]);
        before &= bc_mask(from[i] != 0);
    }
    return to;
}

char *bc_strncpy(char *to, const char *from, size_t size, size_t count)
{
    uint32_t before = ~0u;
    for (size_t i = 0; i < count; i++) {
        to[i] = i < size ? (char)((unsigned char)from[i] & before) : 0;
        before &= bc_mask(to[i] != 0);
    }
    return to;
}

/* Behind each byte where the first text may end: the second, and a zero. */
char *bc_strncat(char *to, size_t room, const char *from, size_t size)
{
    uint32_t before = ~0u;
    size = extent(from, size);
    room = room == BC_UNKNOWN ? extent(to, room) + size : room;
    for (size_t i = 0; i < room; i++) {
        uint32_t here = bc_mask(to[i] == 0) & before;
        uint32_t write = here;
        for (size_t j = 0; j <= size && i + j < room; j++) {
            uint32_t byte = j < size ? (unsigned char)from[j] : 0;
            to[i + j] = (char)bc_select32(write, byte, (unsigned char)to[i + j]);
            write &= bc_mask(byte != 0);
        }
        before &= ~here;
    }
    return to;
}

int bc_strcmp(const char *a, size_t a_size, const char *b, size_t b_size)
{
    uint32_t result = 0, same = ~0u;
    size_t size = smaller(a_size, b_size);
    size = size == BC_UNKNOWN ? smaller(extent(a, size), extent(b, size)) : size;
    for (size_t i = 0; i < size; i++) {
        uint32_t p = (unsigned char)a[i], q = (unsigned char)b[i];
        result |= (p - q) & same;
        same &= bc_mask(p == q) & bc_mask(p != 0);
    }
    return (int)result;
}

char *bc_strchr(const char *text, size_t size, int byte)
{
    uint32_t found = 0, before = ~0u;
    size = extent(text, size);
    for (size_t i = 0; i < size; i++) {
        uint32_t hit = bc_mask((unsigned char)text[i] == (unsigned char)byte) & before;
        found |= hit & (uint32_t)(text + i);
        before &= ~hit & bc_mask(text[i] != 0);
    }
    return (char *)found;
}

char *bc_strrchr(const char *text, size_t size, int byte)
{
    uint32_t found = 0, before = ~0u;
    size = extent(text, size);
    for (size_t i = 0; i < size; i++) {
        uint32_t hit = bc_mask((unsigned char)text[i] == (unsigned char)byte) & before;
        found = bc_select32(hit, (uint32_t)(text + i), found);
        before &= bc_mask(text[i] != 0);
    }
    return (char *)found;
}

char *bc_strstr(const char *text, size_t size, const char *wanted, size_t wanted_size)
{
    uint32_t found = 0, before = ~0u;
    size = extent(text, size);
    wanted_size = extent(wanted, wanted_size);
    for (size_t i = 0; i < size; i++) {
        uint32_t match = before, more = ~0u;
        for (size_t j = 0; j < wanted_size; j++) {
            more &= bc_mask(wanted[j] != 0);
            match &= ~more | (i + j < size ? bc_mask(text[i + j] == wanted[j]) : 0);
        }
        found |= match & (uint32_t)(text + i);
        before &= ~match & bc_mask(text[i] != 0);
    }
    return (char *)found;
}

/* How many bytes at the beginning are in the set, or (`inside` is 0) are not. */
size_t bc_strspn(const char *text, size_t size, const char *set, size_t set_size, int inside)
{
    uint32_t length = 0, before = ~0u;
    size = extent(text, size);
    set_size = extent(set, set_size);
    for (size_t i = 0; i < size; i++) {
        uint32_t member = 0, more = ~0u;
        for (size_t j = 0; j < set_size; j++) {
            more &= bc_mask(set[j] != 0);
            member |= more & bc_mask(text[i] == set[j]);
        }
        uint32_t goes_on = (inside ? member : ~member) & bc_mask(text[i] != 0);
        uint32_t end = before & ~goes_on;
        length |= end & i;
        before &= goes_on;
    }
    return length | (before & size);
}

/* The text up to the first byte of the set is shorter than all of it, or there is none. */
char *bc_strpbrk(const char *text, size_t size, const char *set, size_t set_size)
{
    size_t length = bc_strspn(text, size, set, set_size, 0);
    return (char *)bc_select32(bc_mask(length < bc_strlen(text, size)), (uint32_t)text + length, 0);
}

/* Where the next word begins to be looked for, kept as labels as the heap is: an array, its size
 * and a place in it, of which the last may be secret. */
__asm__("\t.section .bss.bc_words, \"aw\", %nobits\n"
        "\t.balign 4\n"
        "bc_words:\n"
        "\t.space 12\n"
        "\t.text\n");
extern struct {
    char *text;
    size_t size, at;
} bc_words;

char *bc_strtok(char *text, size_t size, const char *set, size_t set_size)
{
    if (text != NULL) {
        bc_words.text = text;
        bc_words.size = extent(text, size);
        bc_words.at = 0;
    }
    text = bc_words.text;
    size = bc_words.size;
    set_size = extent(set, set_size);
    uint32_t began = 0, found = 0, open = ~0u, at = bc_words.at;
    for (size_t i = 0; i < size; i++) {
        uint32_t member = 0, more = ~0u, here = open & bc_mask(i >= bc_words.at);
        for (size_t j = 0; j < set_size; j++) {
            more &= bc_mask(set[j] != 0);
            member |= more & bc_mask(text[i] == set[j]);
        }
        uint32_t zero = bc_mask(text[i] == 0), begins = here & ~began & ~member & ~zero;
        found |= begins & (uint32_t)(text + i);
        began |= begins;
        uint32_t ends = here & ((began & member) | zero);
        text[i] = (char)((unsigned char)text[i] & ~(ends & member));
        at = bc_select32(here, i + (zero == 0), at); /* Behind a word's end, on the text's. */
        open &= ~ends;
    }
    bc_words.at = at;
    return (char *)found;
}

char *bc_strndup(const char *text, size_t size, size_t room)
{
    char *to = malloc(room);
    if (to != NULL) {
        bc_strncpy(to, text, size, room);
        to[room - 1] = 0;
    }
    return to;
}

/* For whoever takes the address of a function, or declares it without the header. */
size_t strlen(const char *s) { return bc_strlen(s, BC_UNKNOWN); }
size_t strnlen(const char *s, size_t n) { return bc_strlen(s, n); }
char *strcpy(char *restrict d, const char *restrict s)
{
    return bc_strcpy(d, BC_UNKNOWN, s, BC_UNKNOWN);
}
char *strncpy(char *restrict d, const char *restrict s, size_t n)
{
    return bc_strncpy(d, s, BC_UNKNOWN, n);
}
char *strcat(char *restrict d, const char *restrict s)
{
    return bc_strncat(d, BC_UNKNOWN, s, BC_UNKNOWN);
}
char *strncat(char *restrict d, const char *restrict s, size_t n)
{
    return bc_strncat(d, BC_UNKNOWN, s, n);
}
int strcmp(const char *a, const char *b) { return bc_strcmp(a, BC_UNKNOWN, b, BC_UNKNOWN); }
int strncmp(const char *a, const char *b, size_t n) { return bc_strcmp(a, n, b, n); }
char *strchr(const char *s, int c) { return bc_strchr(s, BC_UNKNOWN, c); }
char *strrchr(const char *s, int c) { return bc_strrchr(s, BC_UNKNOWN, c); }
char *strstr(const char *s, const char *w) { return bc_strstr(s, BC_UNKNOWN, w, BC_UNKNOWN); }
size_t strspn(const char *s, const char *set)
{
    return bc_strspn(s, BC_UNKNOWN, set, BC_UNKNOWN, 1);
}
size_t strcspn(const char *s, const char *set)
{
    return bc_strspn(s, BC_UNKNOWN, set, BC_UNKNOWN, 0);
}
char *strtok(char *restrict s, const char *restrict set)
{
    return bc_strtok(s, BC_UNKNOWN, set, BC_UNKNOWN);
}
char *strdup(const char *s)
{
    size_t size = extent(s, BC_UNKNOWN);
    return bc_strndup(s, size, size);
}
char *strndup(const char *s, size_t n) { return bc_strndup(s, n, n + 1); }
char *strpbrk(const char *s, const char *set)
{
    return bc_strpbrk(s, BC_UNKNOWN, set, BC_UNKNOWN);
}
