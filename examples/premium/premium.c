/* Where a value stands in a sorted list, and what to pay for it: a binary search and a tariff. */
#include <stdint.h>

#define STEPS 12

/* The upper ends of the brackets, ascending: public. */
static const uint16_t bracket[STEPS] = {
    120, 250, 400, 600, 850, 1200, 1700, 2400, 3400, 4800, 7000, 10000,
};

uint16_t income;
uint8_t children;

uint8_t step;     /* the bracket, 12 above them all */
uint32_t premium; /* what is paid */

static __attribute__((noinline)) uint32_t relief(uint32_t count)
{
    if (count == 0)
        return 0;
    if (count > 4)
        return 90;
    return 15 + 20 * count;
}

int main(void)
{
    uint32_t i;
    for (i = 0; i < STEPS; i++)
        if (income <= bracket[i])
            break;
    step = i;

    uint32_t due = 10 + 12 * i;
    if (i > 2) {
        uint32_t less = relief(children);
        due = less < due ? due - less : 0;
    }
    premium = due;
    return 0;
}
