/* 256 values in order, by Batcher's bitonic network: 4,608 comparisons, 36 deep. */
#include <blindcore.h>
#include <stdint.h>

#define COUNT 256

SECRET uint16_t values[COUNT];
OUTPUT uint16_t sorted[COUNT];

int main(void)
{
    uint16_t v[COUNT];

    for (int i = 0; i < COUNT; i++)
        v[i] = values[i];
    for (int k = 2; k <= COUNT; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            for (int i = 0; i < COUNT; i++) {
                int l = i ^ j;
                if (l > i) {
                    uint16_t a = v[i], b = v[l];
                    uint16_t least = a < b ? a : b, most = a < b ? b : a;
                    v[i] = (i & k) == 0 ? least : most;
                    v[l] = (i & k) == 0 ? most : least;
                }
            }
        }
    }
    for (int i = 0; i < COUNT; i++)
        sorted[i] = v[i];
    return 0;
}
