/* How printf names the types of stdint.h. */
#ifndef BLINDCORE_INTTYPES_H
#define BLINDCORE_INTTYPES_H

#include <stdint.h>
#include "stdlib.h"

#ifdef __clang__
#define BC_32 ""
#else
#define BC_32 "l"
#endif
#define PRId8 "d"
#define PRIdLEAST8 "d"
#define PRIdFAST8 "d"
#define PRId16 "d"
#define PRIdLEAST16 "d"
#define PRIdFAST16 "d"
#define PRId32 BC_32 "d"
#define PRIdLEAST32 BC_32 "d"
#define PRIdFAST32 "d"
#define PRId64 "lld"
#define PRIdLEAST64 "lld"
#define PRIdFAST64 "lld"
#define PRIdMAX "jd"
#define PRIdPTR "d"
#define PRIi8 "i"
#define PRIiLEAST8 "i"
#define PRIiFAST8 "i"
#define PRIi16 "i"
#define PRIiLEAST16 "i"
#define PRIiFAST16 "i"
#define PRIi32 BC_32 "i"
#define PRIiLEAST32 BC_32 "i"
#define PRIiFAST32 "i"
#define PRIi64 "lli"
#define PRIiLEAST64 "lli"
#define PRIiFAST64 "lli"
#define PRIiMAX "ji"
#define PRIiPTR "i"
#define PRIo8 "o"
#define PRIoLEAST8 "o"
#define PRIoFAST8 "o"
#define PRIo16 "o"
#define PRIoLEAST16 "o"
#define PRIoFAST16 "o"
#define PRIo32 BC_32 "o"
#define PRIoLEAST32 BC_32 "o"
#define PRIoFAST32 "o"
#define PRIo64 "llo"
#define PRIoLEAST64 "llo"
#define PRIoFAST64 "llo"
#define PRIoMAX "jo"
#define PRIoPTR "o"
#define PRIu8 "u"
#define PRIuLEAST8 "u"
#define PRIuFAST8 "u"
#define PRIu16 "u"
#define PRIuLEAST16 "u"
#define PRIuFAST16 "u"
#define PRIu32 BC_32 "u"
#define PRIuLEAST32 BC_32 "u"
#define PRIuFAST32 "u"
#define PRIu64 "llu"
#define PRIuLEAST64 "llu"
#define PRIuFAST64 "llu"
#define PRIuMAX "ju"
#define PRIuPTR "u"
#define PRIx8 "x"
#define PRIxLEAST8 "x"
#define PRIxFAST8 "x"
#define PRIx16 "x"
#define PRIxLEAST16 "x"
#define PRIxFAST16 "x"
#define PRIx32 BC_32 "x"
#define PRIxLEAST32 BC_32 "x"
#define PRIxFAST32 "x"
#define PRIx64 "llx"
#define PRIxLEAST64 "llx"
#define PRIxFAST64 "llx"
#define PRIxMAX "jx"
#define PRIxPTR "x"
#define PRIX8 "X"
#define PRIXLEAST8 "X"
#define PRIXFAST8 "X"
#define PRIX16 "X"
#define PRIXLEAST16 "X"
#define PRIXFAST16 "X"
#define PRIX32 BC_32 "X"
#define PRIXLEAST32 BC_32 "X"
#define PRIXFAST32 "X"
#define PRIX64 "llX"
#define PRIXLEAST64 "llX"
#define PRIXFAST64 "llX"
#define PRIXMAX "jX"
#define PRIXPTR "X"

typedef struct { intmax_t quot, rem; } imaxdiv_t;
static inline intmax_t imaxabs(intmax_t number) { return llabs(number); }
static inline imaxdiv_t imaxdiv(intmax_t number, intmax_t by)
{
    lldiv_t both = lldiv(number, by);
    return (imaxdiv_t){both.quot, both.rem};
}
#define strtoimax(s, end, base) strtoll((s), (end), (base))
#define strtoumax(s, end, base) strtoull((s), (end), (base))

#endif
