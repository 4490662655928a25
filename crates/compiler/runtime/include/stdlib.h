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
void *malloc(size_t bytes);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t bytes);
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

int atoi(const char *text);
long atol(const char *text);

/* Numbers that everybody can foretell. */
int rand(void);
void srand(unsigned seed);

void exit(int status) __attribute__((noreturn));
void abort(void) __attribute__((noreturn));

int bc_atoi(const char *text, size_t size);
#ifndef BLINDCORE_RUNTIME
#define atoi(s) bc_atoi((s), __builtin_object_size((s), 1))
#define atol(s) ((long)bc_atoi((s), __builtin_object_size((s), 1)))
#endif

#endif
