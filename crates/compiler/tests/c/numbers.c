#include <stdint.h>
struct input {
    char text[4][14], large[24];
    int32_t a, b;
    int64_t c, d;
    uint32_t seed;
};
struct output {
    int64_t wide[8];
    uint64_t unsigned_wide[4];
    int32_t narrow[16], ends[12], quotients[6], errors[3];
    uint32_t unsigned_narrow[4], classes[16];
    int64_t quotients64[2];
};
#include "sides.h"
#include <ctype.h>
#ifdef __arm__
#define errno bc_errno
#else
#include <errno.h>
#endif

#ifndef __arm__
static void fill(void)
{
    static const char *const formats[] = {
        "%d", " %d", "\t-%u", "+%u", "%#x", "-%#X", "%#o", "%dz", "- %d", "0x%s", "-%08u", "%c0x1g",
    };
    static const char *const wide[] = {"%lld", "-%lld", "%llu", "9223372036854775808",
                                       "-9223372036854775808", "-9223372036854775809",
                                       "18446744073709551615", "18446744073709551616", "%#llx"};
    for (int i = 0; i < 4; i++) {
        unsigned shift = any() % 32, value = any() >> shift;
        char whole[40];
        switch (any() % 16) {
        case 0: strcpy(whole, "2147483648"); break;
        case 1: strcpy(whole, "-2147483649"); break;
        case 2: strcpy(whole, "4294967296"); break;
        case 3: fill_text(whole, 14, " +-0x19aAzZ"); break;
        default: {
            unsigned form = any() % 12;
            if (form == 9)
                strcpy(whole, any() % 2 ? "0x" : "0xg");
            else
                sprintf(whole, formats[form], form == 11 ? ' ' : value);
        }
        }
        memcpy(in.text[i], whole, 13);
        in.text[i][13] = 0;
    }
    uint64_t value = ((uint64_t)any() << 32 | any()) >> any() % 64;
    char whole[40];
    sprintf(whole, wide[any() % 9], value);
    memcpy(in.large, whole, 23);
    in.a = (int32_t)any() >> any() % 32;
    in.b = (int32_t)any() >> any() % 32;
    in.c = (int64_t)((uint64_t)any() << 32 | any()) >> any() % 64;
    in.d = (int64_t)((uint64_t)any() << 32 | any()) >> any() % 64;
    in.b += in.b == 0;
    in.d += in.d == 0;
    if (in.a == INT32_MIN)
        in.a = 1;
    if (in.c == INT64_MIN)
        in.c = 1;
    in.seed = any();
}
#endif

#ifdef __arm__
#define LONG(s, end, base) strtol(s, end, base)
#define ULONG(s, end, base) strtoul(s, end, base)
#else
/* What a long of 32 bits would be. */
static int32_t LONG(const char *s, char **end, int base)
{
    long long value = strtoll(s, end, base);
    if (value != (int32_t)value)
        errno = ERANGE;
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}
static uint32_t ULONG(const char *s, char **end, int base)
{
    const char *sign = s + strspn(s, " \t\n\v\f\r");
    int minus = *sign == '-';
    unsigned long long value = strtoull(s, end, base);
    value = minus ? 0 - value : value;
    if (value >> 32) {
        errno = ERANGE;
        return UINT32_MAX;
    }
    return minus ? 0u - (uint32_t)value : (uint32_t)value;
}
#endif

static void test(void)
{
    static const int bases[4] = {10, 0, 16, 36};
    int32_t *narrow = out.narrow, *end_at = out.ends;
    int64_t *wide = out.wide;
    char *end;

    errno = 0;
    for (int i = 0; i < 4; i++) {
        *narrow++ = (int32_t)LONG(in.text[i], &end, bases[i]);
        *end_at++ = PLACE(end, in.text[i]);
    }
    out.errors[0] = errno;
    errno = 0;
    for (int i = 0; i < 4; i++) {
        out.unsigned_narrow[i] = (uint32_t)ULONG(in.text[i], &end, bases[i]);
        *end_at++ = PLACE(end, in.text[i]);
    }
    out.errors[1] = errno;
    errno = 0;
    *wide++ = strtoll(in.large, &end, 10);
    *end_at++ = PLACE(end, in.large);
    *wide++ = strtoll(in.large, NULL, 0);
    out.unsigned_wide[0] = strtoull(in.large, &end, 10);
    *end_at++ = PLACE(end, in.large);
    out.unsigned_wide[1] = strtoull(in.large, NULL, 16);
    out.errors[2] = errno;
    *narrow++ = atoi("  -0123x");
    *narrow++ = (int32_t)atol("+77 ");
    *wide++ = atoll("-123456789012");
    char small[6] = {0};
    memcpy(small, in.text[0], 5);
    *narrow++ = atoi(small);

    *narrow++ = abs(in.a);
    *narrow++ = (int32_t)labs(in.a);
    *wide++ = llabs(in.c);
    div_t words = div(in.a, in.b);
    out.quotients[0] = words.quot;
    out.quotients[1] = words.rem;
    ldiv_t longs = ldiv(in.a, in.b);
    out.quotients[2] = (int32_t)longs.quot;
    out.quotients[3] = (int32_t)longs.rem;
    lldiv_t large = lldiv(in.c, in.d);
    out.quotients64[0] = large.quot;
    out.quotients64[1] = large.rem;

    int byte = in.seed & 127;
    int (*const kinds[])(int) = {isalnum, isalpha, isblank, iscntrl, isdigit, isgraph, islower,
                                 isprint, ispunct, isspace, isupper, isxdigit};
    for (int i = 0; i < 12; i++)
        out.classes[i] = kinds[i](byte) != 0;
    out.classes[12] = (uint32_t)tolower(byte);
    out.classes[13] = (uint32_t)toupper(byte);
}
