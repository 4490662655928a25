/* Between 64 bits and floating point, as compilers call it (RTABI 4.1.2): the unit converts words. */

/* x * 2^32, of what comes from a word: its exponent is far from the ends. */
static double raised(double x)
{
    uint64_t bits = double_bits(x);
    uint32_t some = bc_mask(bits << 1 != 0);
    return double_real(bits + ((uint64_t)(some & 32u << 20) << 32));
}

/* The halves are exact, and so is the upper one raised: the sum rounds once. */
double __aeabi_ul2d(uint64_t number)
{
    return raised((double)(uint32_t)(number >> 32)) + (double)(uint32_t)number;
}
double __aeabi_l2d(int64_t number)
{
    return raised((double)(int32_t)(number >> 32)) + (double)(uint32_t)number;
}

/* To single precision by way of double, which would round twice. A number too long for a double is
 * rounded to odd first: its last eleven bits become one, in the place above them, and every later
 * rounding to fewer digits is as if it were the only one (Boldo and Melquiond, "Emulation of a FMA
 * and correctly rounded sums", 2008, theorem 1). */
static uint64_t to_odd(uint64_t number, int is_long)
{
    uint32_t mask = bc_mask(is_long);
    uint32_t low = (uint32_t)number, rest = low & 0x7ff;
    uint32_t odd = (low & ~0x7ffu) | ((rest + 0x7ff) & 0x800);
    return (number >> 32 << 32) | bc_select32(mask, odd, low);
}
float __aeabi_ul2f(uint64_t number)
{
    return (float)__aeabi_ul2d(to_odd(number, number >> 53 != 0));
}
float __aeabi_l2f(int64_t number)
{
    uint32_t top = (uint32_t)(number >> 53);
    return (float)__aeabi_l2d((int64_t)to_odd((uint64_t)number, top + 1 > 1));
}

/* The whole part of a number below 2^64, whatever its sign. C says nothing of others. */
static uint64_t whole_part(uint64_t bits)
{
    uint32_t exponent = (uint32_t)(bits >> 52) & 0x7ff;
    uint64_t significand = (bits & ((uint64_t)1 << 52) - 1) | (uint64_t)1 << 52;
    uint32_t right = 1075 - exponent, left = exponent - 1075;
    uint64_t below = bc_select64(bc_mask(right < 64), significand >> (right & 63), 0);
    return bc_select64(bc_mask(left < 64), significand << (left & 15), below);
}
uint64_t __aeabi_d2ulz(double x) { return whole_part(double_bits(x)); }
int64_t __aeabi_d2lz(double x)
{
    uint64_t bits = double_bits(x);
    return (int64_t)negate_if(bc_mask((int)(bits >> 63)), whole_part(bits));
}
uint64_t __aeabi_f2ulz(float x) { return __aeabi_d2ulz(x); }
int64_t __aeabi_f2lz(float x) { return __aeabi_d2lz(x); }
