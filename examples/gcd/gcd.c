/* The greatest common divisor, by subtraction: the loop runs as long as the numbers want. */
#include <stdint.h>

uint32_t a, b; /* not 0 */

uint32_t divisor;

static uint32_t gcd(uint32_t x, uint32_t y)
{
    while (x != y) {
        if (x > y)
            x -= y;
        else
            y -= x;
    }
    return x;
}

int main(void)
{
    divisor = gcd(a, b);
    return 0;
}
