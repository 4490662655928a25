/* A static variable whose name shapes.c has too. */
#include <stdint.h>
static uint32_t state;
__attribute__((noinline)) uint32_t twins(void) { return state += 9; }
