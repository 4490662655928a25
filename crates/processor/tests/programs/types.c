/* One variable of every type that inputs and outputs may have. */
#include <stdint.h>
#include <stdbool.h>

typedef uint16_t port_t;
enum colour { RED, GREEN, BLUE = 200 };
struct point { int16_t x, y; };
struct row { uint8_t key; struct point at[2]; uint64_t value; };
union either { uint32_t word; uint8_t bytes[4]; };

uint8_t  a_u8 = 1;
int8_t   a_i8 = -2;
uint16_t a_u16 = 3;
int16_t  a_i16 = -4;
uint32_t a_u32 = 5;
int32_t  a_i32 = -6;
uint64_t a_u64 = 7;
int64_t  a_i64 = -8;
bool     a_bool = true;
char     a_text[16] = "hello";
port_t   a_port = 80;
enum colour a_colour = BLUE;
int8_t   a_matrix[3][4];
struct point a_point = {1, -1};
struct row a_rows[2];
union either an_either;
uint32_t *a_pointer = &a_u32;
const uint32_t a_constant = 42;
extern uint32_t declared[];
uint32_t declared[3] = {1, 2, 3};

static uint32_t counted(void) { static uint32_t count = 10; return ++count; }

int main(void)
{
    a_u32 += counted() + a_constant;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) a_matrix[i][j] = i * 4 - j;
    a_rows[1].at[0].y = a_point.y * 3;
    a_rows[1].value = a_u64 * a_u64;
    an_either.word = *a_pointer;
    return 0;
}
