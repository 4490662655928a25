#include <stdint.h>
struct input {
    uint8_t unused;
};
struct output {
    int32_t lengths[8];
    char texts[8][48];
};
#include "sides.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#ifndef __arm__
static void fill(void) { in.unused = 0; }
#undef stderr
#define stderr stdout
#endif

static int formatted(char *to, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to, room, format, arguments);
    va_end(arguments);
    return length;
}

static void test(void)
{
    char(*text)[48] = out.texts;
    int32_t *length = out.lengths;
    *length++ = sprintf(*text++, "%d|%5i|%-5d|%05d|%+d|% d|%.3d|%8.3d", 7, -42, 42, -42, 42, 42, 5, -5);
    *length++ = sprintf(*text++, "%u %x %X %#x %o %#o %hhu %hd", ~0u, 48879u, 48879u, 255u, 8u, 8u,
                        (unsigned char)300, (short)70000);
    *length++ = snprintf(*text++, 10, "%s and more", "a long text");
    *length++ = snprintf(*text++, 48, "%lld %" PRIu64 " %jd", -9000000000000000000ll,
                         UINT64_C(18446744073709551615), INTMAX_C(-1));
    *length++ = snprintf(*text++, 48, "%c%c%%%10.3s|%-6s|%*d", 'a', 'z', "abcdef", "ab", 5, 3);
    *length++ = formatted(*text++, 48, "%zu %" PRIx32 " %" PRId8 " %" PRIiFAST16, sizeof(int32_t),
                          UINT32_C(77), (int8_t)-3, (int_fast16_t)9);
    *length++ = snprintf(NULL, 0, "%d", 12345);

    printf("%s %d\n", "printed", 1);
    fprintf(stdout, "%05u\n", 77u);
    fprintf(stderr, "error %c\n", '!');
    puts("a line");
    fputs("no line", stdout);
    putchar('\n');
    fputc('x', stderr);
    putc('y', stdout);
    fwrite("0123456789", 2, 3, stdout);
    fflush(stdout);
    for (int i = 0; i < 40; i++)
        printf("%d,%s", i * i * i, i % 10 == 9 ? "\n" : " ");
}
