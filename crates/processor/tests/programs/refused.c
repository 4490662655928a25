/* What cannot run on secrets, and what cannot run at all. */
#include <stdint.h>

uint32_t secret;
volatile uint32_t public_;
uint32_t table[16];
uint32_t result;
void (*const nowhere)(void) = (void (*)(void))0x40000000;

void branch(void) { while (secret != 1) { secret = secret & 1 ? 3 * secret + 1 : secret / 2; result++; } }
void load(void) { result = table[secret & 15]; result += table[(secret >> 4) & 15]; }
void store(void) { table[secret & 15] = 1; }
void outside(void) { result = *(volatile uint32_t *)0xf0000000; }
void readonly(void) { *(volatile uint32_t *)&nowhere = 1; }
void jump(void) { nowhere(); __asm__ volatile(""); }
void forever(void) { for (;;) { } }
void running(void) { for (;;) public_++; }
void thumb(void) { __asm__ volatile("ldr r0, =0x8001\n bx r0"); }
void undefined(void) { __asm__ volatile(".word 0xe7f000f0"); }
void floating(void) { __asm__ volatile(".word 0xee300900"); }
void unaligned(void) { __asm__ volatile("add r0, %0, #1\n ldm r0, {r1, r2}" :: "r"(table) : "r0", "r1", "r2", "memory"); }
void call(void) { __asm__ volatile("svc #7"); }
uint32_t overflow(uint32_t n) { volatile uint32_t pad[1024]; pad[0] = n; return overflow(n + 1) + pad[0]; }
void ends(void) { result = 5; __asm__ volatile("svc #0" ::: "memory"); result = 6; }
void guarded_load(void) { __asm__ volatile("cmp %0, #3\n mov r1, #0\n ldrlo r1, [r1]" :: "r"(secret) : "r1", "cc"); }
void guarded_store(void) { __asm__ volatile("cmp %0, #3\n strlo %0, [%1]" :: "r"(secret), "r"(&nowhere) : "cc", "memory"); }
void guarded_pair(void) { __asm__ volatile("cmp %0, #3\n add r1, %1, #1\n ldmlo r1, {r2, r3}" :: "r"(secret), "r"(table) : "r1", "r2", "r3", "cc"); }
int main(void) { result = 1; return 0; }
