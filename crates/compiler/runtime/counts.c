/* Counts of bits, by the names that GCC calls where the processor has no instruction. */

int __popcountsi2(uint32_t number)
{
    number -= number >> 1 & 0x55555555;
    number = (number & 0x33333333) + (number >> 2 & 0x33333333);
    number = (number + (number >> 4)) & 0x0f0f0f0f;
    number += number >> 8;
    return (int)((number + (number >> 16)) & 63);
}
int __popcountdi2(uint64_t number)
{
    return __popcountsi2((uint32_t)number) + __popcountsi2((uint32_t)(number >> 32));
}

int __paritysi2(uint32_t number)
{
    number ^= number >> 16;
    number ^= number >> 8;
    number ^= number >> 4;
    number ^= number >> 2;
    return (int)((number ^ number >> 1) & 1);
}
int __paritydi2(uint64_t number)
{
    return __paritysi2((uint32_t)number ^ (uint32_t)(number >> 32));
}

/* How many zeros lie above the highest one, and below the lowest; 64 of zero. */
int __clzdi2(uint64_t number)
{
    uint32_t low = (uint32_t)number, high = (uint32_t)(number >> 32);
    uint32_t none = bc_mask(high == 0);
    /* CLZ of 0 is 32; C has no word for it. */
    uint32_t top = bc_select32(none, low, high);
    uint32_t zeros = bc_select32(bc_mask(top == 0), 32, (uint32_t)__builtin_clz(top | (top == 0)));
    return (int)(zeros + (none & 32));
}
int __ctzdi2(uint64_t number)
{
    /* The ones below the lowest one, alone. */
    return 64 - __clzdi2(~number & (number - 1));
}
int __ffsdi2(uint64_t number)
{
    return (__ctzdi2(number) + 1) & (int)bc_mask(number != 0);
}
/* How many bits below the highest are as it is. */
int __clrsbdi2(uint64_t number)
{
    return __clzdi2(number ^ (uint64_t)((int64_t)number >> 63)) - 1;
}
