#include <blindcore.h>
/* Sorting by counting: how often each byte occurs, where its first one goes, then each to its
 * place. Equal bytes keep their order, so `from` says where each one was. */
#define COUNT 64
SECRET uint8_t bytes[COUNT];
OUTPUT uint8_t sorted[COUNT], from[COUNT];
static uint8_t next[256];

int main(void)
{
    for (unsigned i = 0; i < COUNT; i++)
        next[bytes[i]]++;
    unsigned sum = 0;
    for (unsigned value = 0; value < 256; value++) {
        unsigned count = next[value];
        next[value] = sum;
        sum += count;
    }
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned place = next[bytes[i]]++ & (COUNT - 1);
        sorted[place] = bytes[i];
        from[place] = i;
    }
    return 0;
}
