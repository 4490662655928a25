#include <blindcore.h>
SECRET bc_q16 x[4];
OUTPUT bc_q16 y[2];

static const bc_q16 first[6][4] = {
    {BC_Q16(0.5), BC_Q16(-1.25), BC_Q16(0.75), BC_Q16(0.3)},
    {BC_Q16(-0.6), BC_Q16(0.4), BC_Q16(1.1), BC_Q16(-0.2)},
    {BC_Q16(0.9), BC_Q16(0.1), BC_Q16(-0.7), BC_Q16(0.8)},
    {BC_Q16(-0.3), BC_Q16(1.2), BC_Q16(0.2), BC_Q16(-0.9)},
    {BC_Q16(0.7), BC_Q16(-0.5), BC_Q16(0.6), BC_Q16(0.4)},
    {BC_Q16(0.2), BC_Q16(0.8), BC_Q16(-0.4), BC_Q16(1.0)},
};
static const bc_q16 bias[6] = {BC_Q16(0.1), BC_Q16(-0.2), BC_Q16(0.05), BC_Q16(0.3), BC_Q16(-0.1), BC_Q16(0.0)};
static const bc_q16 second[2][6] = {
    {BC_Q16(1.1), BC_Q16(-0.7), BC_Q16(0.4), BC_Q16(0.9), BC_Q16(-0.3), BC_Q16(0.6)},
    {BC_Q16(-0.8), BC_Q16(0.5), BC_Q16(1.2), BC_Q16(-0.4), BC_Q16(0.7), BC_Q16(-0.1)},
};
int main(void)
{
    bc_q16 hidden[6];
    for (int i = 0; i < 6; i++) {
        bc_q16 sum = bias[i];
        for (int j = 0; j < 4; j++) sum += bc_q16_mul(first[i][j], x[j]);
        hidden[i] = sum > 0 ? sum : 0;
    }
    for (int i = 0; i < 2; i++) {
        bc_q16 sum = 0;
        for (int j = 0; j < 6; j++) sum += bc_q16_mul(second[i][j], hidden[j]);
        y[i] = sum;
    }
    return 0;
}
