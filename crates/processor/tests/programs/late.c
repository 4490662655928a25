/* Code that is written while the program runs: reads FPSCR, which nothing in the file does. */
#include <stdint.h>

uint32_t code[2] = {0xe320f000, 0xe12fff1e};
float third;

int main(void) {
    volatile float three = 3.0f;
    third = 1.0f / three;
    return 0;
}

void late(void) {
    code[0] ^= 0xe320f000 ^ 0xeef10a10;
    third = 2.0f;
    ((void (*)(void))code)();
}
