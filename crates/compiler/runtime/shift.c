/* 64 bits by parts, as compilers call it (RTABI 4.2): shifts by any amount, products, order. */

uint64_t __aeabi_llsl(uint64_t number, int by)
{
    uint32_t low = (uint32_t)number, high = (uint32_t)(number >> 32), n = (uint32_t)by & 31;
    uint32_t far = bc_mask((by & 32) != 0), moved = low << n;
    uint32_t upper = high << n | low >> 1 >> (31 - n);
    return (uint64_t)bc_select32(far, moved, upper) << 32 | (moved & ~far);
}

static uint64_t right(uint64_t number, int by, uint32_t sign)
{
    uint32_t low = (uint32_t)number, high = (uint32_t)(number >> 32), n = (uint32_t)by & 31;
    uint32_t far = bc_mask((by & 32) != 0);
    uint32_t moved = high >> n | (sign & ~(~0u >> n));
    uint32_t lower = low >> n | high << 1 << (31 - n);
    return (uint64_t)bc_select32(far, sign, moved) << 32 | bc_select32(far, moved, lower);
}

uint64_t __aeabi_llsr(uint64_t number, int by) { return right(number, by, 0); }
int64_t __aeabi_lasr(int64_t number, int by)
{
    return (int64_t)right((uint64_t)number, by, bc_mask(number < 0));
}

uint64_t __aeabi_lmul(uint64_t a, uint64_t b)
{
    uint32_t a0 = (uint32_t)a, a1 = (uint32_t)(a >> 32);
    uint32_t b0 = (uint32_t)b, b1 = (uint32_t)(b >> 32);
    return (uint64_t)a0 * b0 + ((uint64_t)(a0 * b1 + a1 * b0) << 32);
}

int __aeabi_lcmp(int64_t a, int64_t b) { return (a > b) - (a < b); }
int __aeabi_ulcmp(uint64_t a, uint64_t b) { return (a > b) - (a < b); }
