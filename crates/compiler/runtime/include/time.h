/* A program has no clock: what whoever runs it would say could not be trusted. */
#ifndef BLINDCORE_TIME_H
#define BLINDCORE_TIME_H

#include <stddef.h>

#define CLOCKS_PER_SEC 1000000

typedef long long time_t;
typedef long clock_t;

/* Minus one, as C has it where the time is not known. */
time_t time(time_t *kept);
clock_t clock(void);
double difftime(time_t later, time_t earlier);

#endif
