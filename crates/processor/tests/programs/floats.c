/* Floating-point registers on secrets: what moves, selects, changes signs, and one sum. */
#include <stdint.h>

uint32_t secret[4];
float kept[8];
double wide[4];
uint32_t moved[4];
uint32_t chosen;
uint32_t status;
float table[4] = {1.5f, -2.25f, 1e-40f, 3.0f};

/* Clear arithmetic in every form that the compiler takes it for. */
static void clear(void) {
    float sum = 0;
    double product = 1;
    for (int i = 0; i < 4; i++) {
        sum += table[i] * table[3 - i];
        product = __builtin_fma(product, (double)table[i], 0.5);
        kept[i] = sum > 1.0f ? -sum : sum / 3.0f;
        wide[i] = product;
    }
    chosen = (uint32_t)(int32_t)(sum * 7.0f);
}

/* Secret words through the registers: as they are, without a sign, with the other one. */
static void pass(void) {
    union { uint32_t word; float value; } in, out;
    for (int i = 0; i < 4; i++) {
        in.word = secret[i];
        out.value = -in.value;
        moved[i] = out.word;
        __asm__ volatile("vmov s0, %1\n vabs.f32 s1, s0\n vstr s1, [%0]" ::"r"(&kept[4 + i]), "r"(secret[i]) : "s0", "s1", "memory");
    }
}

/* Under a secret condition: a move, a word from a core register, and an exception. */
static void choose(void) {
    __asm__ volatile(
        "mov r0, #0\n vmsr fpscr, r0\n"
        "vmov s0, %2\n vmov.f32 s1, #1.0\n vmov.f32 s2, #2.0\n vmov.f32 s3, #3.0\n"
        "cmp %2, %3\n vmovhi.f32 s1, s2\n vmovls s1, %2\n vdivhi.f32 s2, s2, s3\n"
        ".word 0xfe001a01 /* vseleq.f32 s2, s0, s2 */\n vmov %0, s1\n vmrs %1, fpscr\n vstr s2, [%4]\n"
        : "=&r"(chosen), "=&r"(status) : "r"(secret[0]), "r"(secret[1]), "r"(kept)
        : "r0", "s0", "s1", "s2", "s3", "cc", "memory");
}

/* Two paths that meet: one divides, compares and changes signs, the other loads and moves a word. */
void meet(void) {
    __asm__ volatile(
        "mov r0, #0\n vmsr fpscr, r0\n"
        "vmov s0, %2\n vmov.f32 s1, #1.0\n vmov.f32 s2, #3.0\n vldr d8, [%4]\n"
        "cmp %2, %3\n bhi 1f\n"
        "vdiv.f32 s1, s1, s2\n vneg.f32 s0, s0\n vcmp.f32 s2, #0\n vneg.f64 d8, d8\n b 2f\n"
        "1: vldr s1, [%4]\n vmov.32 d8[0], %3\n"
        "2: vstr d8, [%5]\n vmov %0, s1\n vmrs %1, fpscr\n vstr s0, [%5, #8]\n"
        : "=&r"(chosen), "=&r"(status) : "r"(secret[0]), "r"(secret[1]), "r"(table), "r"(moved)
        : "r0", "s0", "s1", "s2", "d8", "cc", "memory");
}

int main(void) {
    clear();
    pass();
    uint32_t before = chosen;
    choose();
    moved[0] ^= before;
    return 0;
}

void arithmetic(void) { __asm__ volatile("vmov s0, %0\n vadd.f32 s0, s0, s0" ::"r"(secret[0]) : "s0"); }
void mode(void) { __asm__ volatile("vmsr fpscr, %0" ::"r"(secret[0])); }
void modes(void) {
    __asm__ volatile("cmp %0, #5\n mov r1, #0x400000\n vmsrhi fpscr, r1\n vadd.f32 s0, s0, s0" ::"r"(secret[0]) : "r1", "s0", "cc");
}
void vectors(void) { __asm__ volatile("mov r1, #0x10000\n vmsr fpscr, r1" ::: "r1"); }
