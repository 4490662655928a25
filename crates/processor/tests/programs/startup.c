/* What start-up code and a library count on that no segment has: a stack where the linker's script
 * says, a heap behind `end`, variables of the thread. */
#include <stdint.h>

uint32_t given = 1;   /* keeps what it is given */
uint32_t cleared;     /* is cleared before main, whatever it is given */
uint32_t answer;
__thread uint32_t mine = 40, other;

extern uint8_t end[], __bss_start__[], __bss_end__[], _stack[];

int main(void)
{
    volatile uint32_t *heap = (uint32_t *)(((uintptr_t)end + 7) & ~7u);
    heap[1000] = given;
    mine += heap[1000] + heap[1001];
    answer = mine + other + cleared;
    return 0;
}

__attribute__((used)) static void started(void)
{
    for (uint8_t *at = __bss_start__; at < __bss_end__; at++)
        *(volatile uint8_t *)at = 0;
    main();
    __asm__ volatile("svc #0");
}

__attribute__((naked)) void _start(void)
{
    __asm__("ldr sp, =_stack\n\tb started");
}
