/* A program has no clock: what whoever runs it would say could not be trusted. */
#ifndef BLINDCORE_TIME_H
#define BLINDCORE_TIME_H

#include <stddef.h>

#define CLOCKS_PER_SEC 1000000

typedef long long time_t;
typedef long clock_t;

/* Minus one, as C has it where the time is not known. A difference of two is 0, and so is what
 * divides by it wrong without a word: compilers warn of a call. */
#define BC_NO_CLOCK __attribute__((warning("there is no clock here: it is always -1")))
BC_NO_CLOCK time_t time(time_t *kept);
BC_NO_CLOCK clock_t clock(void);
double difftime(time_t later, time_t earlier);

#endif
