/* The edit distance of two words of 64 letters (Levenshtein's, by Wagner and Fischer's table). */
#include <blindcore.h>
#include <stdint.h>

#define LETTERS 64

SECRET char left[LETTERS];
SECRET char right[LETTERS];
OUTPUT uint8_t distance;

static uint8_t smaller(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

int main(void)
{
    uint8_t row[LETTERS + 1];

    for (int j = 0; j <= LETTERS; j++)
        row[j] = (uint8_t)j;
    for (int i = 0; i < LETTERS; i++) {
        uint8_t corner = row[0];
        row[0] = (uint8_t)(i + 1);
        for (int j = 0; j < LETTERS; j++) {
            uint8_t replace = corner + (left[i] != right[j]);
            uint8_t insert_or_remove = smaller(row[j], row[j + 1]) + 1;
            corner = row[j + 1];
            row[j + 1] = smaller(replace, insert_or_remove);
        }
    }
    distance = row[LETTERS];
    return 0;
}
