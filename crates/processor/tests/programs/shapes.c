/* Types that are more than numbers and arrays of them, and names that occur twice. */
#include <stdint.h>

struct mixed {
    uint8_t tag;
    unsigned low : 3, high : 5, wide : 9;
    struct { int16_t inner, other; };
    union { uint32_t word; uint8_t bytes[4]; };
    float ratio;
    int32_t last;
};
struct pair { uint32_t first, second, third; };

struct mixed a_mixed;
float a_float;
uint32_t count;
static uint32_t state;
uint32_t deep[1][1][1][1][1][1][1][1][2];
uint32_t twins(void);

__attribute__((noinline)) uint32_t counted(void) { static uint32_t count = 5; return ++count; }
__attribute__((noinline)) uint32_t once(void) { static uint32_t tick; return ++tick; }
__attribute__((noinline)) uint32_t twice(void) { static uint32_t tick; return tick += 2; }
__attribute__((noinline)) struct pair paired(uint32_t x) { return (struct pair){x, x, x}; }
__attribute__((noinline)) uint32_t scaled(float x) { union { float f; uint32_t u; } bits = {x}; return bits.u; }
__attribute__((noinline)) float halved(uint32_t x) { union { uint32_t u; float f; } bits = {x}; return bits.f; }

int main(void)
{
    a_mixed.last = -3;
    a_mixed.inner = 4;
    count += counted() + once() + twice();
    state += 7;
    return (int)(state + twins());
}
