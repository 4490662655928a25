/* Accesses at secret indexes, in an object and beyond it; its neighbours must not notice. */
#include <stdint.h>

/* One after the other without gaps. */
__asm__(".data\n.balign 8\n"
        ".macro object name, size\n"
        ".global \\name\n.type \\name, %object\n.size \\name, \\size\n\\name: .fill \\size, 1, 0xc5\n"
        ".endm\n"
        "object below, 16\nobject table, 40\nobject above, 16\n.text\n");

uint32_t at, flag, result[4];
uint8_t big[70000];
const uint32_t frozen[4] = { 1, 2, 3, 4 };

/* r2 the table, r3 the index, r4 to r7 from the result and back, C clear where flag < 100. */
#define ACCESS(name, text)                                                                       \
    void name(void)                                                                              \
    {                                                                                            \
        __asm__ volatile("movw r2, #:lower16:table\n movt r2, #:upper16:table\n"                 \
                         "movw r3, #:lower16:at\n movt r3, #:upper16:at\n ldr r3, [r3]\n"        \
                         "movw r0, #:lower16:flag\n movt r0, #:upper16:flag\n ldr r0, [r0]\n"    \
                         "cmp r0, #100\n"                                                        \
                         "movw r0, #:lower16:result\n movt r0, #:upper16:result\n"               \
                         "ldm r0, {r4-r7}\n" text "\n stm r0, {r4-r7}\n" ::                      \
                             : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "cc", "memory");  \
    }

ACCESS(ldr_, "ldr r4, [r2, r3, lsl #2]")
ACCESS(ldrb_, "ldrb r4, [r2, r3]")
ACCESS(ldrsb_, "ldrsb r4, [r2, r3]")
ACCESS(ldrh_, "add r1, r2, r3, lsl #1\n ldrh r4, [r1]")
ACCESS(ldrsh_, "add r1, r2, r3, lsl #1\n ldrsh r4, [r1, #4]")
ACCESS(ldrd_, "add r1, r2, r3, lsl #3\n ldrd r4, [r1]")
ACCESS(ldm_, "add r1, r2, r3, lsl #2\n ldmib r1!, {r4-r6}\n sub r7, r1, r2")
ACCESS(ldr_bytes_, "ldr r4, [r2, r3]")
ACCESS(ldrd_bytes_, "add r1, r2, r3\n ldrd r4, [r1]")
ACCESS(ldrlo_, "ldrlo r4, [r2, r3, lsl #2]")
ACCESS(ldr_minus_, "sub r1, r2, r3, lsl #2\n ldr r4, [r1, #36]")
ACCESS(str_, "str r4, [r2, r3, lsl #2]")
ACCESS(strb_, "strb r4, [r2, r3]")
ACCESS(strh_, "add r1, r2, r3, lsl #1\n strh r4, [r1]")
ACCESS(strd_, "add r1, r2, r3, lsl #3\n strd r4, [r1]")
ACCESS(stm_, "add r1, r2, r3, lsl #2\n stmia r1, {r4-r6}")
ACCESS(str_bytes_, "str r4, [r2, r3]")
ACCESS(strlo_, "strlo r4, [r2, r3, lsl #2]")
ACCESS(strblo_, "strlob r4, [r2, r3]")
ACCESS(strh_bytes_lo_, "add r1, r2, r3\n strloh r4, [r1]")

ACCESS(nowhere_, "ldr r4, [r3]")
ACCESS(nowhere_store_, "str r4, [r3, #8]")
void huge(void) { result[0] = big[at]; }
void frozen_(void) { *(uint32_t *)&frozen[at] = 1; }
int main(void) { return 0; }
