/* What do we earn together, who earns most, and what is the mean?
 * Nobody's salary is shown to the machine that computes it. */
#include <stdint.h>

#define CAPACITY 8

uint32_t salary[CAPACITY];
uint32_t count; /* how many of the entries are people */

uint32_t total;
uint32_t highest;
uint32_t mean;

int main(void)
{
    uint32_t sum = 0;
    uint32_t best = 0;

    for (uint32_t i = 0; i < CAPACITY; i++) {
        uint32_t amount = (i < count) * salary[i]; /* zero past the last person */
        sum += amount;
        if (amount > best)
            best = amount;
    }

    uint32_t people = count > 0 ? count : 1;
    total = sum;
    highest = best;
    mean = sum / people;
    return 0;
}
