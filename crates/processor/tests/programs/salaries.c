/* Sum, mean by division, maximum: the count decides which entries matter. */
#include <stdint.h>

uint32_t salary[8];
uint32_t count;
uint32_t total, highest, mean;

int main(void)
{
    uint32_t sum = 0, max = 0;
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t value = salary[i] & -(uint32_t)(i < count);
        sum += value;
        max = value > max ? value : max;
    }
    total = sum;
    highest = max;
    mean = sum / count;
    return 0;
}
