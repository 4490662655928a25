/* Strings and memory. Nothing here branches on bytes where their number is known: then all of the
 * array is read, whatever it holds. A pointer that the compiler cannot follow to its array ends at
 * the first zero, and then the text must be public; strnlen, strncmp and memchr take a number. */
#ifndef BLINDCORE_STRING_H
#define BLINDCORE_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int memcmp(const void *a, const void *b, size_t count);
void *memchr(const void *bytes, int byte, size_t count);

size_t strlen(const char *text);
size_t strnlen(const char *text, size_t count);
char *strcpy(char *restrict to, const char *restrict from);
char *strncpy(char *restrict to, const char *restrict from, size_t count);
char *strcat(char *restrict to, const char *restrict from);
char *strncat(char *restrict to, const char *restrict from, size_t count);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t count);
char *strchr(const char *text, int byte);
char *strrchr(const char *text, int byte);
char *strstr(const char *text, const char *wanted);
size_t strspn(const char *text, const char *set);
size_t strcspn(const char *text, const char *set);
char *strpbrk(const char *text, const char *set);
/* The array is named in the first call, and read as a whole in each. */
char *strtok(char *restrict text, const char *restrict set);
/* A copy of the whole array, or of as many bytes as may be and a zero. */
char *strdup(const char *text);
char *strndup(const char *text, size_t count);

/* The same with the sizes of the arrays, or BC_UNKNOWN. */
#define BC_UNKNOWN ((size_t)-1)
size_t bc_strlen(const char *text, size_t size);
char *bc_strcpy(char *to, size_t room, const char *from, size_t size);
char *bc_strncpy(char *to, const char *from, size_t size, size_t count);
char *bc_strncat(char *to, size_t room, const char *from, size_t size);
int bc_strcmp(const char *a, size_t a_size, const char *b, size_t b_size);
char *bc_strchr(const char *text, size_t size, int byte);
char *bc_strrchr(const char *text, size_t size, int byte);
char *bc_strstr(const char *text, size_t size, const char *wanted, size_t wanted_size);
size_t bc_strspn(const char *text, size_t size, const char *set, size_t set_size, int inside);
char *bc_strpbrk(const char *text, size_t size, const char *set, size_t set_size);
char *bc_strtok(char *text, size_t size, const char *set, size_t set_size);
char *bc_strndup(const char *text, size_t size, size_t room)
    __attribute__((malloc, alloc_size(3)));

#ifndef BLINDCORE_RUNTIME
/* The size of the array that a pointer points into, as far as the compiler knows it. */
#ifndef BC_SIZE
#define BC_SIZE(p) __builtin_object_size((p), 1)
#ifdef __has_builtin
#if __has_builtin(__builtin_dynamic_object_size)
#undef BC_SIZE
#define BC_SIZE(p) __builtin_dynamic_object_size((p), 1)
#endif
#endif
#endif

/* Functions, so that a count that counts (`n++`) does so once. */
static inline size_t bc_at_most(size_t count, size_t size) { return count < size ? count : size; }
static inline int bc_strncmp(const char *a, size_t a_size, const char *b, size_t b_size,
                             size_t count)
{
    return bc_strcmp(a, bc_at_most(count, a_size), b, bc_at_most(count, b_size));
}
static inline __attribute__((always_inline)) char *bc_strdup(const char *text, size_t size)
{
    return size == BC_UNKNOWN ? strdup(text) : bc_strndup(text, size, size);
}
static inline __attribute__((always_inline)) char *bc_strndup_most(const char *text, size_t size)
{
    return bc_strndup(text, size, size + 1);
}

#define strlen(s) bc_strlen((s), BC_SIZE(s))
#define strnlen(s, n) bc_strlen((s), bc_at_most((n), BC_SIZE(s)))
#define strcpy(d, s) bc_strcpy((d), BC_SIZE(d), (s), BC_SIZE(s))
#define strncpy(d, s, n) bc_strncpy((d), (s), BC_SIZE(s), (n))
#define strcat(d, s) bc_strncat((d), BC_SIZE(d), (s), BC_SIZE(s))
#define strncat(d, s, n) bc_strncat((d), BC_SIZE(d), (s), bc_at_most((n), BC_SIZE(s)))
#define strcmp(a, b) bc_strcmp((a), BC_SIZE(a), (b), BC_SIZE(b))
#define strncmp(a, b, n) bc_strncmp((a), BC_SIZE(a), (b), BC_SIZE(b), (n))
#define strchr(s, c) bc_strchr((s), BC_SIZE(s), (c))
#define strrchr(s, c) bc_strrchr((s), BC_SIZE(s), (c))
#define strstr(s, w) bc_strstr((s), BC_SIZE(s), (w), BC_SIZE(w))
#define strspn(s, set) bc_strspn((s), BC_SIZE(s), (set), BC_SIZE(set), 1)
#define strcspn(s, set) bc_strspn((s), BC_SIZE(s), (set), BC_SIZE(set), 0)
#define strtok(s, set) bc_strtok((s), BC_SIZE(s), (set), BC_SIZE(set))
#define strdup(s) bc_strdup((s), BC_SIZE(s))
#define strndup(s, n) bc_strndup_most((s), bc_at_most((n), BC_SIZE(s)))
#define strpbrk(s, set) bc_strpbrk((s), BC_SIZE(s), (set), BC_SIZE(set))
#endif

#endif
