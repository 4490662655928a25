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

/* Blanks, a sign, digits: each mask says that its part may still go on. */
int bc_atoi(const char *text, size_t size)
{
    uint32_t value = 0, blanks = ~0u, digits = ~0u, minus = 0;
    for (size_t i = 0; i < size; i++) {
        int c = (unsigned char)text[i];
        uint32_t digit = bc_mask(isdigit(c));
        uint32_t sign = bc_mask((c == '-') | (c == '+')) & blanks;
        blanks &= bc_mask(isspace(c));
        digits &= digit | sign | blanks;
        minus |= sign & bc_mask(c == '-');
        value = bc_select32(digits & digit, value * 10 + (uint32_t)(c & 15), value);
        if (size == (size_t)-1 && c == 0) /* The array is not known, so the text is public. */
            break;
    }
    return (int)((value ^ minus) - minus);
}
int atoi(const char *text) { return bc_atoi(text, (size_t)-1); }
long atol(const char *text) { return bc_atoi(text, (size_t)-1); }

/* A label: it is no output of a program. */
__asm__("\t.section .data.bc_random, \"aw\"\n"
        "\t.balign 4\n"
        "bc_random:\n"
        "\t.word 1\n"
        "\t.text\n");
extern uint32_t bc_random;

void srand(unsigned seed) { bc_random = seed; }
int rand(void)
{
    bc_random = bc_random * 1103515245 + 12345;
    return (int)(bc_random >> 16 & RAND_MAX);
}
