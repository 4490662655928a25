/* How printf names the types of stdint.h. */
#ifndef BLINDCORE_INTTYPES_H
#define BLINDCORE_INTTYPES_H

#include <stdint.h>

#ifdef __clang__
#define BC_32 ""
#else
#define BC_32 "l"
#endif
#define PRId8 "d"
#define PRIu8 "u"
#define PRIx8 "x"
#define PRId16 "d"
#define PRIu16 "u"
#define PRIx16 "x"
#define PRId32 BC_32 "d"
#define PRIi32 BC_32 "i"
#define PRIu32 BC_32 "u"
#define PRIx32 BC_32 "x"
#define PRIX32 BC_32 "X"
#define PRId64 "lld"
#define PRIi64 "lli"
#define PRIu64 "llu"
#define PRIx64 "llx"
#define PRIX64 "llX"

#endif
