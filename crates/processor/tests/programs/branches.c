/* Branches on secrets that meet again, and such that do not. Compiled without if-conversion, so
   that they are branches. */
#include <stdint.h>

uint32_t a, b;
uint32_t list[8];
uint32_t result, other;
uint8_t bytes[8];
uint32_t table[4] = {1, 20, 300, 4000};
uint32_t (*chosen)(uint32_t);

static __attribute__((noinline)) uint32_t twice(uint32_t x) { return 2 * x; }
static __attribute__((noinline)) uint32_t steps(uint32_t x)
{
    if (x > 100)
        return x - 100;
    if (x & 1)
        return 3 * x + 1;
    return x / 2;
}

/* Both arms, and what they do to memory. */
void arms(void)
{
    if (a < b) {
        result = a + 17;
        bytes[0] = 0;
        bytes[1] = 3;
    } else {
        result = b ^ 0x55;
        other++;
        bytes[2] = bytes[1] + 1;
    }
}

/* One arm, and a call in it. */
void call(void)
{
    result = 5;
    if (a == b)
        result = twice(a) + result;
    other = result + 1;
}

/* Early returns, in a function that is called twice, once within an arm. */
void returns(void)
{
    result = steps(a);
    if (result != 3)
        other = steps(b) + steps(result);
}

/* A search that ends as soon as it can. */
void search(void)
{
    uint32_t i;
    for (i = 0; i < 8; i++)
        if (list[i] == a)
            break;
    result = i;
}

/* Nested choices that compilers turn into jumps. */
void nested(void)
{
    uint32_t x = a & 255, y = b & 255;
    result = x < 16 ? y < 16 ? x * y : x < y ? x + 1 : y - 1 : y > 200 ? x / 3 : x == y ? 7 : x - y;
}

/* A loop with a clear bound around branches, and one around that. */
void loops(void)
{
    for (uint32_t i = 0; i < 4; i++) {
        if (list[i] > list[i + 1]) {
            uint32_t t = list[i];
            list[i] = list[i + 1];
            list[i + 1] = t;
        }
        for (uint32_t j = 0; j < 3; j++) {
            if ((list[j] & 3) == 2)
                continue;
            if (list[j] > a)
                break;
            result += list[j];
        }
    }
}

/* One arm returns early. */
uint32_t clamped(uint32_t x, uint32_t low, uint32_t high)
{
    if (x < low)
        return low;
    if (x > high)
        return high;
    return x;
}
void clamp(void)
{
    for (int i = 0; i < 4; i++)
        list[i] = clamped(list[i], a & 15, 100);
}

/* The greatest common divisor by subtraction: as many rounds as the numbers want. */
void gcd(void)
{
    uint32_t x = a, y = b;
    while (x != y) {
        if (x > y)
            x -= y;
        else
            y -= x;
    }
    result = x;
}

/* A choice that ends the program on one side. */
void ends(void)
{
    result = 1;
    if (a > 7)
        __asm__ volatile("svc #0" ::: "memory");
    result = 2;
}
void conditional_end(void)
{
    result = 1;
    __asm__ volatile("cmp %0, #7\n svchi #0" :: "r"(a) : "cc", "memory");
    result = 2;
}

/* An arm that says something. */
void says(void)
{
    if (a > 7)
        __asm__ volatile("mov r0, %0\n mov r1, #4\n svc #1" :: "r"(table) : "r0", "r1", "memory");
    result = 2;
}
void said(void)
{
    __asm__ volatile("mov r0, %0\n mov r1, #8\n svc #1" :: "r"(table) : "r0", "r1", "memory");
    result = a;
}
void said_secret(void)
{
    table[1] = a << 8;
    __asm__ volatile("mov r0, %0\n mov r1, #8\n svc #1" :: "r"(table) : "r0", "r1", "memory");
}
void said_somewhere(void)
{
    __asm__ volatile("mov r0, %0\n mov r1, #8\n svc #1" :: "r"(a) : "r0", "r1", "memory");
}
void said_nowhere(void)
{
    __asm__ volatile("mov r0, #0\n mov r1, #8\n svc #1" ::: "r0", "r1", "memory");
}

/* An arm that cannot be executed. */
void faults(void)
{
    if (a > 7) {
        __asm__ volatile("");
        result = *(volatile uint32_t *)0xf0000000 + 1;
        other = twice(result);
    }
    result = 3;
}
/* An arm that does not end. */
void forever(void)
{
    if (a > 7)
        for (;;)
            (*(volatile uint32_t *)&other)++;
    result = 2;
}
void still(void)
{
    if (a > 7)
        for (;;) { }
    result = 2;
}
/* Paths that meet with different stack pointers. */
void stacks(void)
{
    __asm__ volatile("cmp %0, #7\n bls 1f\n push {r0, r1}\n 1: cmp %0, #7\n addhi sp, sp, #8" :: "r"(a) : "cc", "memory");
}
/* A store to instructions that were executed before. */
void writes_code(void)
{
    __asm__ volatile(
        "adr r1, 2f\n ldr r2, [r1]\n cmp %0, #7\n 2: bls 1f\n str r2, [r1]\n 1: nop"
        :: "r"(a) : "r1", "r2", "cc", "memory");
}
/* Jumps to one of two functions, by a secret. */
void pointer(void)
{
    __asm__ volatile(
        "cmp %0, #7\n mov r3, %1\n movhi r3, %2\n mov r0, #9\n push {r4, lr}\n blx r3\n pop {r4, lr}\n"
        "ldr r3, =result\n str r0, [r3]"
        :: "r"(a), "r"(twice), "r"(steps) : "r0", "r1", "r2", "r3", "ip", "cc", "memory");
}
/* The same condition twice: the second branch is none. */
void again(void)
{
    __asm__ volatile(
        "mov r3, #0\n cmp %0, %1\n bls 1f\n add r3, r3, #1\n b 2f\n 1: addhi r3, r3, #100\n bhi 2f\n"
        "add r3, r3, #10\n 2: addls r3, r3, #1\n ldr r2, =result\n str r3, [r2]"
        :: "r"(a), "r"(b) : "r2", "r3", "cc", "memory");
}
/* Conditional calls and returns. */
__attribute__((naked)) void conditional_forms(void)
{
    __asm__ volatile(
        "push {r4, lr}\n ldr r4, =a\n ldr r0, [r4]\n ldr r1, =b\n ldr r1, [r1]\n"
        "cmp r0, r1\n blne twice\n bl 1f\n ldr r1, =result\n str r0, [r1]\n pop {r4, pc}\n"
        "1: cmp r0, #50\n bxhi lr\n push {r5, lr}\n cmp r0, #20\n add r0, r0, #1\n pophi {r5, pc}\n"
        "bl twice\n tst r0, #4\n movne lr, lr\n popne {r5, pc}\n add r0, r0, #9\n pop {r5, lr}\n mov pc, lr");
}

/* Room for programs that the tests make up; what they compute is in these. */
uint32_t buffer[16], dump[16];
__attribute__((naked, section(".text.made_up"))) void made_up(void) { __asm__ volatile(".fill 1024, 4, 0xe7fdefe0"); }

int main(void) { arms(); return 0; }
