/* Functions to call by the AAPCS. */
#include <stdint.h>
#include <stdbool.h>

uint32_t calls;

int32_t score(int32_t income, int32_t debt)
{
    calls++;
    return income * 3 - debt * 2 + (debt > income ? -1000 : 0);
}

uint64_t mixed(uint8_t a, uint64_t b, int16_t c, uint32_t d, int64_t e)
{
    return a + b * 3 + (uint64_t)c - d + (uint64_t)e;
}

bool near(int8_t a, int8_t b) { return a - b < 4 && b - a < 4; }

void nothing(void) { calls += 2; }

uint32_t deep(uint32_t n) { volatile uint32_t pad[64]; pad[0] = n; return n ? deep(n - 1) + pad[0] : 0; }

int main(void) { return score(17, 25); }
