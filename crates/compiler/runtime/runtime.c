/* The whole library as one source: one call of the compiler makes it. */
#define BLINDCORE_RUNTIME
#include "weak.c"
#include "include/blindcore.h"

#include "include/assert.h"
#include "include/ctype.h"
#include "include/inttypes.h"
#include "include/math.h"
#include "include/stdio.h"
#include "include/stdlib.h"
#include "include/string.h"
#include "include/time.h"

#include "choice.c"
#include "counts.c"
#include "ctype.c"
#include "division.c"
#include "heap.c"
#include "math.c"
#include "memory.c"
#include "search.c"
#include "shift.c"
#include "sort.c"
#include "string.c"

#include "convert.c"
#include "numbers.c"
#include "system.c"

#include "print.c"
