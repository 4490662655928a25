/* Types alone: there are no functions for texts of wide characters. */
#ifndef BLINDCORE_WCHAR_H
#define BLINDCORE_WCHAR_H

#include <stddef.h>
#include <stdint.h>

#define WEOF ((wint_t)-1)

typedef unsigned wint_t;
typedef struct { unsigned place; } mbstate_t;

#endif
