/* How many letters must be inserted, removed or replaced to turn one word into
 * the other? (Levenshtein's distance, by Wagner and Fischer's table.) */
#include <stdint.h>

#define LEFT 6
#define RIGHT 7

char left[LEFT];
char right[RIGHT];

uint8_t distance;

static uint8_t smaller(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

int main(void)
{
    uint8_t row[RIGHT + 1];

    for (int j = 0; j <= RIGHT; j++)
        row[j] = j;

    for (int i = 0; i < LEFT; i++) {
        uint8_t corner = row[0];
        row[0] = i + 1;
        for (int j = 0; j < RIGHT; j++) {
            uint8_t replace = corner + (left[i] != right[j]);
            uint8_t insert_or_remove = smaller(row[j], row[j + 1]) + 1;
            corner = row[j + 1];
            row[j + 1] = smaller(replace, insert_or_remove);
        }
    }

    distance = row[RIGHT];
    return 0;
}
