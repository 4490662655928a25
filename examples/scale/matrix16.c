/* The product of two 16 x 16 matrices of 16 bits as one circuit. */
#include <blindcore.h>
#include <stdint.h>

#define SIZE 16

SECRET uint16_t a[SIZE][SIZE];
SECRET uint16_t b[SIZE][SIZE];
OUTPUT uint32_t product[SIZE][SIZE];

int main(void)
{
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++) {
            uint32_t sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += (uint32_t)a[i][k] * b[k][j];
            product[i][j] = sum;
        }
    }
    return 0;
}
