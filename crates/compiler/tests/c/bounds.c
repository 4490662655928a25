#include <blindcore.h>

SECRET uint32_t a, b;
OUTPUT uint32_t common, count;

uint32_t gcd(uint32_t p, uint32_t q)
{
    while (q != 0) {
        BLINDCORE_BOUND(47);
        uint32_t rest = p % q;
        p = q;
        q = rest;
    }
    return p;
}

uint32_t digits(uint32_t number)
{
    uint32_t n = 0;
    do {
        BLINDCORE_BOUND(5 + 5);
        number /= 10;
        n++;
    } while (number != 0);
    return n;
}

int main(void)
{
    common = gcd(a, b);
    count = digits(a);
    return 0;
}
