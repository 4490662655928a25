// Runs under qemu-arm: carries out instructions on pseudo-random states and folds what they leave
// into one word. main.rs says what the records mean and does the same with our interpreter.

typedef unsigned u32;

enum { PAGE = 0x400000, WINDOW = 0x410000, WINDOW_WORDS = 3072 };
enum { SLOT = PAGE + 0x700, PROLOGUE = PAGE + 0xf00, STATE = PAGE + 0x1000 };
enum { ALIGNED = 1, MEMORY = 2, TARGETS_IN_MEMORY = 4, CARRY_CLEAR = 8, FLOATS = 16, DOUBLES = 32, SPECIALS = 64 };

struct record {
    u32 words, seed, count, pointers, targets, indices, rotation, statuses, mode;
};

// The page after the code: r14, then r0 to r13, the landing address and the flags as they came
// out; the flags and r0 to r14 as they go in.
struct state {
    u32 out[17], flags, in[15];
};

// At STATE + 0x200: the floating-point registers and FPSCR, as they go in and as they came out.
struct floats {
    u32 in[65], out[65];
};

static u32 call(u32 number, u32 a, u32 b, u32 c, u32 d, u32 e, u32 f) {
    register u32 r0 __asm__("r0") = a, r1 __asm__("r1") = b, r2 __asm__("r2") = c;
    register u32 r3 __asm__("r3") = d, r4 __asm__("r4") = e, r5 __asm__("r5") = f;
    register u32 r7 __asm__("r7") = number;
    __asm__ volatile("svc #0"
                     : "+r"(r0)
                     : "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5), "r"(r7)
                     : "memory");
    return r0;
}

static void leave(u32 code) { call(1, code, 0, 0, 0, 0, 0); }

// Whether all bytes came; the end of the input is the end of the work.
static int take(void *to, u32 count) {
    char *at = to;
    while (count > 0) {
        int got = (int)call(3, 0, (u32)at, count, 0, 0, 0);
        if (got <= 0) return 0;
        at += got;
        count -= (u32)got;
    }
    return 1;
}

static void map(u32 address, u32 bytes) {
    // Readable, writable and executable; private, anonymous and at this very address.
    if (call(192, address, bytes, 7, 0x32, ~0u, 0) != address) leave(2);
}

static u32 next(u32 *state) {
    u32 x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

static u32 value(u32 x) {
    static const u32 special[16] = {
        0,          1,          2,          0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
        0xfffffffe, 0x8000,     0x7fff,     0xffff8000, 0x80008000, 0x7fff7fff, 0x80808080,
        0x7f7f7f7f, 0x20,
    };
    switch (x >> 29) {
    case 0: return special[x & 15];
    case 1: return x & 0xff;
    case 2: return (x & 1 ? 0xffff0000 : 0) | (x >> 8 & 0xffff);
    case 3: return (x >> 4 & 0xffff) << 16;
    default: return x * 0x9e3779b1u;
    }
}

// The high word of a double, or a single: special numbers, few bits around 1, neighbours and
// negatives of the word before, any others. With mode SPECIALS the first of these only.
static u32 number(u32 x, u32 before, int high, u32 mode) {
    static const u32 special[16] = {
        0,          0x80000000, 1,          0x007fffff, 0x00800000, 0x80800001, 0x3f800000, 0xbf800000,
        0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffa12345, 0x4f000000, 0x34000000,
    };
    static const u32 special_high[16] = {
        0,          0x80000000, 1,          0x000fffff, 0x00100000, 0x80100001, 0x3ff00000, 0xbff00000,
        0x7fefffff, 0x7ff00000, 0xfff00000, 0x7ff80000, 0x7ff00001, 0xfff41234, 0x41e00000, 0x38100000,
    };
    u32 one = high ? 0x3ff00000 : 0x3f800000, step = high ? 20 : 23;
    u32 fraction = (x >> 8 & 0xffff) << (high ? 4 : 7);
    switch (mode & SPECIALS ? 0 : x >> 29) {
    case 0: return high ? special_high[x & 15] : special[x & 15];
    case 1: return before ^ (x & 0x80000001);
    case 2: return one + ((x & 7) << step) + fraction;
    case 3: return (one ^ 0x80000000) - ((x & 31) << step) + fraction;
    case 4: return one + ((x & 63) << step) + (fraction & x);
    default: return x * 0x9e3779b1u;
    }
}

static u32 target(u32 x) { return PAGE + (x & 0x7f) * 8; }

static u32 fold(u32 hash, u32 x) { return ((hash << 5 | hash >> 27) ^ x) * 0x9e3779b1u; }

static u32 run(const struct record *record) {
    volatile struct state *state = (struct state *)STATE;
    volatile struct floats *floats = (struct floats *)(STATE + 0x200);
    u32 *window = (u32 *)WINDOW;
    u32 random = record->seed, hash = 0;
    for (u32 i = 0; i < 65; i++) floats->in[i] = 0;
    if (record->mode & MEMORY)
        for (u32 i = 0; i < WINDOW_WORDS; i++) {
            u32 x = next(&random);
            window[i] = record->mode & TARGETS_IN_MEMORY ? target(x) : value(x);
        }
    for (u32 n = 0; n < record->count; n++) {
        for (u32 i = 0; i < 15; i++) {
            u32 x = next(&random);
            if (record->pointers >> i & 1)
                x = WINDOW + 6144 + (x & (record->mode & ALIGNED ? 0xfc : 0xff));
            else if (record->targets >> i & 1)
                x = target(x);
            else if (record->indices >> i & 1)
                x = (x & 60) << (record->rotation & 31) | (x & 60) >> (-record->rotation & 31);
            else if (record->statuses >> i & 1)
                x &= 0xffc0009f;
            else
                x = value(x);
            state->in[i] = x;
        }
        u32 flags = next(&random) & 0xf80f0000;
        state->flags = record->mode & CARRY_CLEAR ? flags & ~0x20000000u : flags;
        if (record->mode & FLOATS) {
            for (u32 i = 0; i < 64; i++) {
                u32 x = next(&random);
                if (!(record->mode & DOUBLES))
                    floats->in[i] = number(x, i ? floats->in[i - 1] : 0, 0, record->mode);
                else if (i & 1)
                    floats->in[i] = number(x, i > 1 ? floats->in[i - 2] : 0, 1, record->mode);
                else
                    floats->in[i] = x & 1 ? x & 2 ? 0 : ~0u << (x >> 27) : x;
            }
            u32 x = next(&random);
            floats->in[64] = (x & 1 ? 0 : x & 0x07c00000) | (x << 8 & 0xf8000000) | (x & 2 ? 0 : x >> 3 & 0x9f);
        }
        ((void (*)(void))PROLOGUE)();
        floats->out[64] &= 0xffc0009f;
        state->out[16] &= 0xf80f0000;
        for (u32 i = 0; i < 17; i++) hash = fold(hash, state->out[i]);
        if (record->mode & FLOATS)
            for (u32 i = 0; i < 65; i++) hash = fold(hash, floats->out[i]);
    }
    if (record->mode & MEMORY)
        for (u32 i = 0; i < WINDOW_WORDS; i++) hash = fold(hash, window[i]);
    return hash;
}

void _start(void) {
    struct record record;
    u32 words[64];
    map(PAGE, 0x2000);
    map(WINDOW, WINDOW_WORDS * 4);
    if (!take((void *)PAGE, 0x1000)) leave(3);
    while (take(&record, sizeof record)) {
        if (record.words > 64 || !take(words, record.words * 4)) leave(4);
        u32 before[64], answer[83];
        volatile u32 *slot = (u32 *)SLOT;
        for (u32 i = 0; i < record.words; i++) before[i] = slot[i], slot[i] = words[i];
        answer[0] = run(&record);
        for (u32 i = 0; i < 17; i++) answer[i + 1] = ((struct state *)STATE)->out[i];
        for (u32 i = 0; i < 65; i++) answer[i + 18] = ((struct floats *)(STATE + 0x200))->out[i];
        for (u32 i = 0; i < record.words; i++) slot[i] = before[i];
        call(4, 1, (u32)answer, sizeof answer, 0, 0, 0);
    }
    leave(0);
}
