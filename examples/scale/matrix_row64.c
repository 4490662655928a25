/* One row of the product of two 64 x 64 matrices: 64 sums of 64 products of 16 bits. The product is 64 of
 * these, which do not wait for each other. */
#include <blindcore.h>
#include <stdint.h>

#define SIZE 64

SECRET uint16_t row[SIZE];
SECRET uint16_t matrix[SIZE][SIZE];
OUTPUT uint32_t product[SIZE];

int main(void)
{
    for (int j = 0; j < SIZE; j++) {
        uint32_t sum = 0;
        for (int k = 0; k < SIZE; k++)
            sum += (uint32_t)row[k] * matrix[k][j];
        product[j] = sum;
    }
    return 0;
}
