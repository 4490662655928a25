/* How many readings fall into each class, and which class the median is in. */
#include <stdint.h>

#define READINGS 12
#define CLASSES 8

/* Upper ends of the classes, public; nothing exceeds the last. */
const uint8_t limits[CLASSES] = { 10, 18, 25, 30, 35, 40, 60, 255 };

uint8_t readings[READINGS];
uint8_t histogram[CLASSES];
uint8_t median_class;
uint8_t median_limit;

int main(void)
{
    for (int i = 0; i < READINGS; i++) {
        uint8_t class = 0;
        for (int c = 0; c < CLASSES - 1; c++)
            class += readings[i] >= limits[c];
        histogram[class]++;
    }

    uint8_t below = 0, class = 0;
    for (int c = 0; c < CLASSES; c++) {
        below += histogram[c];
        class += below <= READINGS / 2;
    }
    median_class = class;
    median_limit = limits[class];
    return 0;
}
