/* Every type that debugging information lays out: what stands in the memory of each object is compared
   with what the compiler reads there. Compiled by the test that uses it, and for the host.

   fill_NAME() writes the members of NAME from `in`, one after another, and show_NAME() reads them back
   into plain_NAME, as many as count_NAME says. */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;

enum colour { RED, GREEN, BLUE };
enum sparse { LOW = -100000, NONE = 0, HIGH = 2000000000 };
enum direction { BACK = -1, STAY, ON };
enum large { SMALL = 1, MOST = 0xffffffffu };
typedef const volatile enum colour paint;

s64 in[64];

#define TAKE(member) member = in[k++];
#define TELL(member) told[k++] = member;
#define OBJECT(name, MEMBERS) \
    s64 plain_##name[64]; \
    u32 count_##name; \
    void fill_##name(void) { u32 k = 0; MEMBERS(TAKE) } \
    void show_##name(void) { u32 k = 0; s64 *told = plain_##name; MEMBERS(TELL) count_##name = k; }

/* Of both signs, of one bit and of all; with a gap, and at the end of a unit. */
struct {
    unsigned low : 3, high : 5;
    int few : 7;
    unsigned : 4;
    int one : 1;
    unsigned bit : 1;
    int : 0;
    unsigned whole : 32;
    u16 half : 9;
    s16 other : 7;
    s8 tiny : 3;
    char letter : 5;
    u64 wide : 33;
    s64 deep : 50;
    s32 after;
} fields;
#define FIELDS(X) X(fields.low) X(fields.high) X(fields.few) X(fields.one) X(fields.bit) \
    X(fields.whole) X(fields.half) X(fields.other) X(fields.tiny) X(fields.letter) X(fields.wide) \
    X(fields.deep) X(fields.after)
OBJECT(fields, FIELDS)

/* Fields that reach over the border of a byte, of a unit and of several. */
struct {
    u8 first;
    unsigned a : 6, b : 13;
    int c : 30;
    u64 d : 61;
    s64 e : 64;
    _Bool f : 1;
    u32 last;
} __attribute__((packed)) straddling;
#define STRADDLING(X) X(straddling.first) X(straddling.a) X(straddling.b) X(straddling.c) \
    X(straddling.d) X(straddling.e) X(straddling.f) X(straddling.last)
OBJECT(straddling, STRADDLING)

/* bool, alone, in arrays and in one bit. */
struct {
    _Bool alone, row[3], table[2][2];
    _Bool bit : 1, next : 1;
    unsigned count : 6;
} flags;
#define FLAGS(X) X(flags.alone) X(flags.row[0]) X(flags.row[1]) X(flags.row[2]) X(flags.table[0][0]) \
    X(flags.table[0][1]) X(flags.table[1][0]) X(flags.table[1][1]) X(flags.bit) X(flags.next) \
    X(flags.count)
OBJECT(flags, FLAGS)

_Bool bools[5];
#define BOOLS(X) X(bools[0]) X(bools[1]) X(bools[2]) X(bools[3]) X(bools[4])
OBJECT(bools, BOOLS)

/* Enumerations: unsigned, signed, sparse, in arrays and in bits. */
struct {
    enum colour colour;
    enum sparse sparse;
    enum direction direction;
    enum large large;
    enum colour row[3];
    enum sparse table[2][2];
    enum colour few : 2;
    enum direction way : 2;
    enum sparse most : 32;
} names;
#define NAMES(X) X(names.colour) X(names.sparse) X(names.direction) X(names.large) X(names.row[0]) \
    X(names.row[1]) X(names.row[2]) X(names.table[0][0]) X(names.table[0][1]) X(names.table[1][0]) \
    X(names.table[1][1]) X(names.few) X(names.way) X(names.most)
OBJECT(names, NAMES)

enum direction ways[4];
#define WAYS(X) X(ways[0]) X(ways[1]) X(ways[2]) X(ways[3])
OBJECT(ways, WAYS)

/* Structures in structures, without names, and in arrays; qualifiers and typedefs on the way. */
struct pair { s8 key; unsigned part : 12, rest : 20; };
struct {
    struct { s16 inner; unsigned bits : 5; };
    struct pair pairs[2];
    struct { struct pair deep; u8 more; } named;
    const struct { volatile u16 number; };
    paint shade;
    u8 last;
} nested;
#define SETTABLE(X) X(nested.inner) X(nested.bits) X(nested.pairs[0].key) X(nested.pairs[0].part) \
    X(nested.pairs[0].rest) X(nested.pairs[1].key) X(nested.pairs[1].part) X(nested.pairs[1].rest) \
    X(nested.named.deep.key) X(nested.named.deep.part) X(nested.named.deep.rest) X(nested.named.more)
s64 plain_nested[64];
u32 count_nested;
void fill_nested(void)
{
    u32 k = 0;
    SETTABLE(TAKE)
    *(u16 *)&nested.number = in[k++];
    *(enum colour *)&nested.shade = in[k++];
    nested.last = in[k];
}
void show_nested(void)
{
    u32 k = 0;
    s64 *told = plain_nested;
    SETTABLE(TELL) TELL(nested.number) TELL(nested.shade) TELL(nested.last)
    count_nested = k;
}

/* What overlaps is shown in each of its ways. */
struct {
    u8 tag;
    union { u32 word; u8 bytes[4]; struct { u16 low, high; }; struct { unsigned a : 4, b : 12; } bits; };
    union { s64 number; s16 parts[4]; } named;
} overlapping;
#define OVERLAPPING(X) X(overlapping.tag) X(overlapping.word) X(overlapping.bytes[0]) \
    X(overlapping.bytes[1]) X(overlapping.bytes[2]) X(overlapping.bytes[3]) X(overlapping.low) \
    X(overlapping.high) X(overlapping.bits.a) X(overlapping.bits.b) X(overlapping.named.number) \
    X(overlapping.named.parts[0]) X(overlapping.named.parts[1]) X(overlapping.named.parts[2]) \
    X(overlapping.named.parts[3])
OBJECT(overlapping, OVERLAPPING)

/* Floating-point numbers by their bits. */
struct { u8 tag; float single; double both[2]; } reals;
s64 plain_reals[64];
u32 count_reals;
union single { u32 bits; float number; };
union both { u64 bits; double number; };
void fill_reals(void)
{
    reals.tag = in[0];
    reals.single = ((union single){.bits = in[1]}).number;
    for (int k = 0; k < 2; k++) reals.both[k] = ((union both){.bits = in[2 + k]}).number;
}
void show_reals(void)
{
    plain_reals[0] = reals.tag;
    plain_reals[1] = ((union single){.number = reals.single}).bits;
    for (int k = 0; k < 2; k++) plain_reals[2 + k] = ((union both){.number = reals.both[k]}).bits;
    count_reals = 4;
}

#ifndef HOST
int main(void) { return 0; }
#else
int printf(const char *, ...);
int scanf(const char *, ...);
#define RUN(name) \
    fill_##name(); show_##name(); \
    for (u32 k = 0; k < count_##name; k++) printf("%lld ", plain_##name[k]); \
    printf("\n");
int main(void)
{
    for (;;) {
        for (u32 k = 0; k < 64; k++)
            if (scanf("%lld", &in[k]) != 1) return 0;
        RUN(fields) RUN(straddling) RUN(flags) RUN(bools) RUN(names) RUN(ways) RUN(nested)
        RUN(overlapping) RUN(reals)
    }
}
#endif
