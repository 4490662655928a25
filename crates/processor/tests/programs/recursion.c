/* Functions that call themselves. Where a call stands in front of the function's last instruction,
   that instruction returns to itself. */
#ifdef HOST
#include <stdio.h>
#endif

unsigned n, results[6];
static unsigned walked;

__attribute__((noinline)) unsigned factorial(unsigned k) {
    return k < 2 ? 1 : k * factorial(k - 1);
}

__attribute__((noinline)) unsigned fibonacci(unsigned k) {
    return k < 2 ? k : fibonacci(k - 1) + fibonacci(k - 2);
}

__attribute__((noinline)) unsigned ackermann(unsigned m, unsigned k) {
    if (m == 0)
        return k + 1;
    return ackermann(m - 1, k == 0 ? 1 : ackermann(m, k - 1));
}

unsigned is_odd(unsigned k);

__attribute__((noinline)) unsigned is_even(unsigned k) {
    return k == 0 ? 1 : !is_odd(k - 1);
}

__attribute__((noinline)) unsigned is_odd(unsigned k) {
    return k == 0 ? 0 : !is_even(k - 1);
}

/* Without the barrier the last call is a jump. */
__attribute__((noinline)) void walk(unsigned k) {
    if (k == 0)
        return;
    walked = 3 * walked + k;
    walk(k - 1);
    __asm__ volatile("");
}

/* Two calls, the second in front of the end. */
__attribute__((noinline)) void move(unsigned disks, unsigned from, unsigned to) {
    if (disks == 0)
        return;
    move(disks - 1, from, 6 - from - to);
    walked = 7 * walked + 3 * from + to;
    move(disks - 1, 6 - from - to, to);
    __asm__ volatile("");
}

int main(void) {
#ifdef HOST
    scanf("%u", &n);
#endif
    results[0] = factorial(n);
    results[1] = fibonacci(n);
    results[2] = ackermann(2, n);
    results[3] = is_even(n);
    walk(n);
    results[4] = walked;
    move(n, 1, 3);
    results[5] = walked;
#ifdef HOST
    for (int i = 0; i < 6; i++)
        printf("%u\n", results[i]);
#endif
    return 0;
}
