/* Numbers without a fraction, of either precision: in bits as integers, where a carry out of the
 * fraction is the next exponent. REAL, BITS, EXPONENT, FRACTION and NAME say which. */

enum NAME(way) { NAME(towards_zero), NAME(downwards), NAME(upwards), NAME(away), NAME(to_even) };

static BITS NAME(bits)(REAL x)
{
    BITS bits;
    __builtin_memcpy(&bits, &x, sizeof(x));
    return bits;
}
static REAL NAME(real)(BITS bits)
{
    REAL x;
    __builtin_memcpy(&x, &bits, sizeof(x));
    return x;
}
/* All bits where it holds. */
static BITS NAME(where)(int holds) { return (BITS)(int64_t)(int32_t)bc_mask(holds); }
static REAL NAME(either)(int holds, REAL a, REAL b)
{
    BITS mask = NAME(where)(holds);
    return NAME(real)((NAME(bits)(a) & mask) | (NAME(bits)(b) & ~mask));
}

static REAL NAME(whole)(REAL x, enum NAME(way) way)
{
    const BITS one = (BITS)1, top = one << (sizeof(BITS) * 8 - 1);
    const uint32_t bias = (1u << (EXPONENT - 1)) - 1;
    BITS bits = NAME(bits)(x), sign = bits & top, magnitude = bits ^ sign;
    BITS minus = NAME(where)(sign != 0), some = NAME(where)(magnitude != 0);
    uint32_t exponent = (uint32_t)(magnitude >> FRACTION), small = bc_mask(exponent < bias);
    uint32_t shift = (exponent - bias) & ~small;
    shift = bc_select32(bc_mask(shift < FRACTION), shift, FRACTION);
    BITS mask = ((one << FRACTION) - 1) >> shift, unit = mask + 1;
    BITS added = 0, raised = 0;
    BITS half = (BITS)(bias - 1) << FRACTION;
    switch (way) { /* Known where this is inlined. */
    case NAME(towards_zero): break;
    case NAME(downwards): added = mask & minus; raised = minus & some; break;
    case NAME(upwards): added = mask & ~minus; raised = ~minus & some; break;
    case NAME(away): added = unit >> 1; raised = NAME(where)(magnitude >= half); break;
    case NAME(to_even):
        added = (mask >> 1) + (NAME(where)((magnitude & unit) != 0) & mask & 1);
        raised = NAME(where)(magnitude > half);
        break;
    }
    BITS large = (magnitude + added) & ~mask, little = (BITS)bias << FRACTION & raised;
    BITS less = (BITS)(int64_t)(int32_t)small;
    return NAME(real)(sign | (little & less) | (large & ~less));
}

REAL MATH(fabs)(REAL x)
{
    const BITS top = (BITS)1 << (sizeof(BITS) * 8 - 1);
    return NAME(real)(NAME(bits)(x) & ~top);
}
REAL MATH(copysign)(REAL x, REAL y)
{
    const BITS top = (BITS)1 << (sizeof(BITS) * 8 - 1);
    return NAME(real)((NAME(bits)(x) & ~top) | (NAME(bits)(y) & top));
}
int MATH(bc_is_negative)(REAL x) { return (int)(NAME(bits)(x) >> (sizeof(BITS) * 8 - 1)); }
REAL MATH(trunc)(REAL x) { return NAME(whole)(x, NAME(towards_zero)); }
REAL MATH(floor)(REAL x) { return NAME(whole)(x, NAME(downwards)); }
REAL MATH(ceil)(REAL x) { return NAME(whole)(x, NAME(upwards)); }
REAL MATH(round)(REAL x) { return NAME(whole)(x, NAME(away)); }
REAL MATH(rint)(REAL x) { return NAME(whole)(x, NAME(to_even)); }
REAL MATH(nearbyint)(REAL x) { return NAME(whole)(x, NAME(to_even)); }
long MATH(lround)(REAL x) { return (long)NAME(whole)(x, NAME(away)); }
long MATH(lrint)(REAL x) { return (long)NAME(whole)(x, NAME(to_even)); }
REAL MATH(modf)(REAL x, REAL *whole)
{
    REAL trunc = NAME(whole)(x, NAME(towards_zero));
    *whole = trunc;
    return MATH(copysign)(NAME(either)(MATH(fabs)(x) == (REAL)INFINITY, 0, x - trunc), x);
}
REAL MATH(fmin)(REAL x, REAL y) { return NAME(either)((x < y) | (y != y), x, y); }
REAL MATH(fmax)(REAL x, REAL y) { return NAME(either)((x > y) | (y != y), x, y); }
REAL MATH(fdim)(REAL x, REAL y)
{
    REAL rest = x - y;
    return NAME(either)(x <= y, 0, rest);
}
