#include <blindcore.h>
/* A computer whose program is secret, like its data: which instruction is executed, on which
 * registers and which memory, and when it halts, nobody sees. An instruction is a number of 32
 * bits: operation, register, second register, operand, one byte each, the operand lowest. */
#define STEPS 64
enum { HALT, SET, ADD, SUB, XOR, LOAD, STORE, JUMP_IF_ZERO };
SECRET uint32_t code[64], memory[64];
OUTPUT uint32_t registers[8];
OUTPUT _Bool halted;

/* What each operation leaves in its first register, in its place in memory, and as next place in
 * the code: all are computed, and a load at a secret index chooses. */
static uint32_t results[8], stores[2];
static uint8_t next[2];

int main(void)
{
    uint32_t pc = 0, end = 0;
    for (unsigned i = 0; i < 8; i++)
        registers[i] = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        uint32_t word = code[pc];
        uint32_t operation = word >> 24 & 7, to = word >> 16 & 7, from = word >> 8 & 7;
        uint32_t number = word & 255;
        uint32_t a = registers[to], b = registers[from];
        uint32_t place = (b + number) & 63, stored = memory[place];

        results[HALT] = results[STORE] = results[JUMP_IF_ZERO] = a;
        results[SET] = number;
        results[ADD] = a + b;
        results[SUB] = a - b;
        results[XOR] = a ^ b;
        results[LOAD] = stored;
        registers[to] = results[operation];

        stores[0] = stored;
        stores[1] = a;
        memory[place] = stores[operation == STORE];

        end |= operation == HALT;
        next[0] = (pc + (end ^ 1)) & 63;
        next[1] = number & 63;
        pc = next[(operation == JUMP_IF_ZERO) & (a == 0)];
    }
    halted = end;
    return 0;
}
