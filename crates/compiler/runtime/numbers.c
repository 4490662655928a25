/* Numbers of stdlib.h. */

int abs(int n)
{
    int sign = (int)bc_mask(n < 0);
    return (n ^ sign) - sign;
}
long labs(long n) { return abs((int)n); }
long long llabs(long long n)
{
    uint64_t sign = (uint64_t)(int64_t)(int32_t)bc_mask(n < 0);
    return (long long)(((uint64_t)n ^ sign) - sign);
}

div_t div(int number, int by) { return (div_t){number / by, number % by}; }
ldiv_t ldiv(long number, long by) { return (ldiv_t){number / by, number % by}; }

/* What a character is worth as a digit; more than any base where it is none. */
static uint32_t digit_of(int c)
{
    uint32_t letter = bc_mask(isalpha(c));
    uint32_t worth = bc_select32(letter, (uint32_t)((c | 32) - 'a' + 10), (uint32_t)(c - '0'));
    return worth | ~(letter | bc_mask(isdigit(c)));
}

/* A number as strtol reads it. Masks say which part each character is of. */
struct reading {
    uint64_t value;            /* its digits, as far as they fit */
    uint32_t minus, over, end; /* masks, and where its last digit ends (0: there is none) */
};

/* `wide` is public: products of 64 bits cost twice. */
static struct reading read_number(const char *text, size_t size, uint32_t base, int wide)
{
    struct reading r = {0, 0, 0, 0};
    uint32_t blanks = ~0u, going = ~0u, signed_before = 0, x_follows = 0;
    uint32_t radix = base == 0 ? 10 : base;
    size = extent(text, size);
    for (size_t i = 0; i < size; i++) {
        int c = (unsigned char)text[i];
        uint32_t first = blanks;
        blanks &= bc_mask(isspace(c));
        first &= ~blanks;
        uint32_t sign = first & bc_mask((c == '-') | (c == '+'));
        r.minus |= sign & bc_mask(c == '-');
        uint32_t skipped = blanks | sign | x_follows;
        if (base == 0 || base == 16) {
            uint32_t zero = ((first & ~sign) | signed_before) & bc_mask(c == '0');
            x_follows = 0;
            if (i + 2 < size)
                x_follows = zero & bc_mask((text[i + 1] | 32) == 'x') &
                            bc_mask(digit_of((unsigned char)text[i + 2]) < 16);
            if (base == 0)
                radix = bc_select32(x_follows, 16, bc_select32(zero, 8, radix));
        }
        signed_before = sign;
        uint32_t digit = digit_of(c);
        going &= skipped | bc_mask(digit < radix);
        uint32_t taken = going & ~skipped;
        r.end = bc_select32(taken, i + 1, r.end);
        uint64_t next = (uint64_t)(uint32_t)r.value * radix + digit;
        if (wide) {
            uint64_t high = (r.value >> 32) * radix + (next >> 32);
            r.over |= taken & bc_mask(high >> 32 != 0);
            next = high << 32 | (uint32_t)next;
            r.value = bc_select64(taken, next, r.value);
        } else {
            r.over |= taken & bc_mask(next >> 32 != 0);
            r.value = bc_select32(taken, (uint32_t)next, (uint32_t)r.value);
        }
    }
    return r;
}

/* The number between its limits; outside of them the nearer one. */
static uint64_t within_limits(struct reading r, const char *text, char **end, uint64_t most,
                              uint64_t least)
{
    uint32_t bad = r.over | bc_mask(r.value > bc_select64(r.minus, least, most));
    uint64_t sign = (uint64_t)r.minus << 32 | r.minus;
    uint64_t limit = bc_select64(r.minus, 0 - least, most);
    bc_errno = (int)bc_select32(bad, BC_ERANGE, (uint32_t)bc_errno);
    if (end != NULL)
        *end = (char *)text + r.end;
    return bc_select64(bad, limit, (r.value ^ sign) - sign);
}

long bc_strtol(const char *text, size_t size, char **end, int base)
{
    struct reading r = read_number(text, size, (uint32_t)base, 0);
    return (long)within_limits(r, text, end, 0x7fffffff, 0x80000000);
}

long long bc_strtoll(const char *text, size_t size, char **end, int base)
{
    struct reading r = read_number(text, size, (uint32_t)base, 1);
    return (long long)within_limits(r, text, end, ~0ull >> 1, 1ull << 63);
}

/* Here a minus negates what fits, and what does not is the largest whatever its sign. */
static uint64_t unsigned_within(struct reading r, const char *text, char **end, uint64_t most)
{
    uint32_t minus = r.minus & ~r.over;
    uint64_t sign = (uint64_t)minus << 32 | minus;
    r.minus = 0;
    return (within_limits(r, text, end, most, most) ^ sign) - sign;
}

unsigned long bc_strtoul(const char *text, size_t size, char **end, int base)
{
    struct reading r = read_number(text, size, (uint32_t)base, 0);
    return (unsigned long)unsigned_within(r, text, end, ~0u);
}

unsigned long long bc_strtoull(const char *text, size_t size, char **end, int base)
{
    struct reading r = read_number(text, size, (uint32_t)base, 1);
    return unsigned_within(r, text, end, ~0ull);
}

/* Without limits and bases, for less; too large a number is the rest of it. */
int bc_atoi(const char *text, size_t size)
{
    uint32_t value = 0, blanks = ~0u, going = ~0u, minus = 0;
    size = extent(text, size);
    for (size_t i = 0; i < size; i++) {
        int c = (unsigned char)text[i];
        uint32_t digit = bc_mask(isdigit(c));
        uint32_t sign = bc_mask((c == '-') | (c == '+')) & blanks;
        blanks &= bc_mask(isspace(c));
        going &= digit | sign | blanks;
        minus |= sign & bc_mask(c == '-');
        value = bc_select32(going & digit, value * 10 + (uint32_t)(c & 15), value);
        blanks &= ~sign;
    }
    return (int)((value ^ minus) - minus);
}

/* For whoever takes the address of a function, or declares it without the header. */
int atoi(const char *s) { return bc_atoi(s, BC_UNKNOWN); }
long atol(const char *s) { return bc_atoi(s, BC_UNKNOWN); }
long long atoll(const char *s) { return bc_strtoll(s, BC_UNKNOWN, NULL, 10); }
long strtol(const char *restrict s, char **restrict end, int base)
{
    return bc_strtol(s, BC_UNKNOWN, end, base);
}
unsigned long strtoul(const char *restrict s, char **restrict end, int base)
{
    return bc_strtoul(s, BC_UNKNOWN, end, base);
}
long long strtoll(const char *restrict s, char **restrict end, int base)
{
    return bc_strtoll(s, BC_UNKNOWN, end, base);
}
unsigned long long strtoull(const char *restrict s, char **restrict end, int base)
{
    return bc_strtoull(s, BC_UNKNOWN, end, base);
}

/* Labels: they are no outputs of a program. */
__asm__("\t.section .data.bc_random, \"aw\"\n"
        "\t.balign 4\n"
        "bc_random:\n"
        "\t.word 1\n"
        "\t.section .bss.bc_errno, \"aw\", %nobits\n"
        "\t.balign 4\n"
        "\t.global bc_errno\n"
        "bc_errno:\n"
        "\t.space 4\n"
        "\t.text\n");
extern uint32_t bc_random;

void srand(unsigned seed) { bc_random = seed; }
int rand(void)
{
    bc_random = bc_random * 1103515245 + 12345;
    return (int)(bc_random >> 16 & RAND_MAX);
}
