/* Memory, sorting, numbers. */
#ifndef BLINDCORE_STDLIB_H
#define BLINDCORE_STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 0x7fff

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;

/* From one array of BC_HEAP_BYTES, given again only from its end. */
void *malloc(size_t bytes) __attribute__((malloc, alloc_size(1)));
void *calloc(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));
void *realloc(void *block, size_t bytes) __attribute__((alloc_size(2)));
void free(void *block);

/* A sorting network: which elements are compared depends on their number alone. Not stable. */
void qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *));
/* Compares with every element. */
void *bsearch(const void *key, const void *array, size_t count, size_t size,
              int (*compare)(const void *, const void *));

int abs(int number);
long labs(long number);
long long llabs(long long number);
div_t div(int number, int by);
ldiv_t ldiv(long number, long by);
lldiv_t lldiv(long long number, long long by);

/* Numbers in texts. Of an array all is read, and whatever it holds is secret if the array is; of a
 * pointer that the compiler cannot follow to its array, up to the first zero, and then the text
 * must be public. The base is public. */
int atoi(const char *text);
long atol(const char *text);
long long atoll(const char *text);
long strtol(const char *restrict text, char **restrict end, int base);
long long strtoll(const char *restrict text, char **restrict end, int base);
unsigned long strtoul(const char *restrict text, char **restrict end, int base);
unsigned long long strtoull(const char *restrict text, char **restrict end, int base);

/* Numbers that everybody can foretell. */
int rand(void);
void srand(unsigned seed);

void exit(int status) __attribute__((noreturn));
void abort(void) __attribute__((noreturn));

/* The same with the size of the array, and where they leave that a number did not fit. */
int bc_atoi(const char *text, size_t size);
long bc_strtol(const char *text, size_t size, char **end, int base);
long long bc_strtoll(const char *text, size_t size, char **end, int base);
unsigned long bc_strtoul(const char *text, size_t size, char **end, int base);
unsigned long long bc_strtoull(const char *text, size_t size, char **end, int base);
extern int bc_errno;
#define BC_ERANGE 34
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
#define atoi(s) bc_atoi((s), BC_SIZE(s))
#define atol(s) ((long)bc_atoi((s), BC_SIZE(s)))
#define atoll(s) bc_strtoll((s), BC_SIZE(s), NULL, 10)
#define strtol(s, end, base) bc_strtol((s), BC_SIZE(s), (end), (base))
#define strtoll(s, end, base) bc_strtoll((s), BC_SIZE(s), (end), (base))
#define strtoul(s, end, base) bc_strtoul((s), BC_SIZE(s), (end), (base))
#define strtoull(s, end, base) bc_strtoull((s), BC_SIZE(s), (end), (base))
#endif

#endif
