#include <stdint.h>
struct input {
    char a[9], b[9], c[4], to[20];
    uint8_t byte;
};
struct output {
    int32_t compared[6], places[12];
    uint32_t lengths[8];
    char copies[6][24];
};
#include "sides.h"

#ifndef __arm__
static void fill(void)
{
    fill_text(in.a, sizeof(in.a), "ab");
    fill_text(in.b, sizeof(in.b), "ab");
    fill_text(in.c, sizeof(in.c), "abc");
    fill_text(in.to, 10, "xy");
    in.byte = "abc\0"[any() % 4];
    if (any() % 4 == 0)
        memcpy(in.b, in.a, sizeof(in.a));
}
#endif

static void test(void)
{
    int32_t *compared = out.compared, *place = out.places;
    uint32_t *length = out.lengths;

    *compared++ = SIGN(strcmp(in.a, in.b));
    *compared++ = SIGN(strncmp(in.a, in.b, 3));
    *compared++ = SIGN(memcmp(in.a, in.b, 5));
    *compared++ = SIGN(strcmp(in.a, "abba"));
    *compared++ = SIGN(strncmp(in.a, in.b, 0));

    *place++ = PLACE(strchr(in.a, in.byte), in.a);
    *place++ = PLACE(strrchr(in.a, in.byte), in.a);
    *place++ = PLACE(strstr(in.a, in.c), in.a);
    *place++ = PLACE(strstr(in.a, ""), in.a);
    *place++ = PLACE(strpbrk(in.a, in.c), in.a);
    *place++ = PLACE(memchr(in.b, in.byte, sizeof(in.b)), in.b);

    *length++ = (uint32_t)strlen(in.a);
    *length++ = (uint32_t)strnlen(in.a, 4);
    *length++ = (uint32_t)strspn(in.a, in.c);
    *length++ = (uint32_t)strcspn(in.a, in.c);
    *length++ = (uint32_t)strspn(in.a, "");

    memset(out.copies, '.', sizeof(out.copies));
    strcpy(out.copies[0], in.a);
    strncpy(out.copies[1], in.a, 6);
    strcpy(out.copies[2], in.to);
    strcat(out.copies[2], in.b);
    strcpy(out.copies[3], in.to);
    strncat(out.copies[3], in.b, 2);
    char *again = strdup(in.a);
    strcpy(out.copies[4], again);
    char *part = strndup(in.a, 3);
    strcpy(out.copies[5], part);

    /* Words between the letters of a set, to the end and beyond it. */
    *place++ = PLACE(strtok(in.a, "a"), in.a);
    *place++ = PLACE(strtok(NULL, "a"), in.a);
    *place++ = PLACE(strtok(NULL, "b"), in.a);
    *place++ = PLACE(strtok(NULL, ""), in.a);
    memcpy(out.copies[5] + 10, in.a, sizeof(in.a));
}
