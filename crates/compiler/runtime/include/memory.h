/* The old name of part of string.h. */
#include <string.h>
