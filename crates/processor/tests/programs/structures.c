/* Data structures and algorithms whose control flow depends on their data, as people write them. */
typedef unsigned int u32;
typedef int i32;
#ifdef HOST
#include <stdio.h>
#endif

u32 in_a, in_b, out;

/* A switch that compilers make a table of jumps of. */
static u32 stretched(u32 x) { return x * 7 + 1; }

static u32 chosen(u32 which, u32 r) {
    switch (which) {
    case 0: r += 5; break;
    case 1: r = stretched(r); break;
    case 2: r ^= 0x55; /* and on */
    case 3: r -= 3; break;
    case 4: r = r << 3; break;
    case 5: return r | 1;
    case 6: r = r * r; break;
    case 7: r = ~r; break;
    case 8: r += in_a * 9; break;
    case 9: r = r >> 2; break;
    default: r = 99;
    }
    return r;
}

void run_table(void) { out = chosen(in_a - 3, in_b); }

/* By a value that much goes into. */
void run_mixed(void) {
    u32 mixed = in_a * 2654435761u + in_b;
    mixed ^= mixed >> 15;
    out = chosen(mixed * mixed >> 28, in_b);
}

/* A number in a text, as musl's atoi reads it: the sign moves a pointer on some paths. */
static char digits[8];

void run_number(void) {
    static const char signs[4] = "-+ 7";
    for (int i = 0; i < 4; i++)
        digits[i] = i < 2 ? signs[in_a >> 2 * i & 3] : '0' + (in_b >> 2 * i & 3);
    digits[4] = 0;
    const char *s = digits;
    int n = 0, negative = 0;
    while (*s == ' ') s++;
    switch (*s) {
    case '-': negative = 1; /* and on */
    case '+': s++;
    }
    while (*s - (u32)'0' < 10) n = 10 * n - (*s++ - '0');
    out = negative ? n : -n;
}

/* Functions that a table names. */
static u32 first(u32 x) { return x + 1; }
static u32 second(u32 x) { return x > 100 ? x : 3 * x; }
static u32 third(u32 x) { return x ^ 0xff; }
static u32 (*const functions[4])(u32) = {first, second, third, second};

void run_functions(void) { out = functions[in_a & 3](in_b) + functions[in_a >> 2 & 3](in_a); }

/* A program of secret instructions. */
void run_codes(void) {
    u32 sum = in_b, x = 1, at = 0;
    for (int step = 0; step < 7; step++) {
        u32 code = in_a >> 3 * (at & 7) & 7;
        at++;
        switch (code) {
        case 0: sum += x; break;
        case 1: sum ^= x << 1; break;
        case 2: sum -= 3; break;
        case 3: x = sum; break;
        case 4: sum += sum << 2; break;
        case 5: sum >>= 1; break;
        case 6: if (sum & 1) at += 2; break;
        case 7: out = sum; return;
        }
    }
    out = sum + at;
}

/* A function that calls itself twice. */
static u32 fibonacci(u32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

void run_fibonacci(void) { out = fibonacci(in_a & 7); }

/* Quicksort. */
static u32 list[4];

static void fill(void) {
    for (int i = 0; i < 4; i++)
        list[i] = in_a >> 8 * i & 0xff;
}

static void digest(void) {
    out = list[0] + 3 * list[1] + 7 * list[2] + 31 * list[3];
}

static int part(int low, int high) {
    u32 pivot = list[high], t;
    int i = low - 1;
    for (int j = low; j < high; j++)
        if (list[j] <= pivot) {
            i++;
            t = list[i]; list[i] = list[j]; list[j] = t;
        }
    t = list[i + 1]; list[i + 1] = list[high]; list[high] = t;
    return i + 1;
}

static void quick(int low, int high) {
    if (low >= high)
        return;
    int middle = part(low, high);
    quick(low, middle - 1);
    quick(middle + 1, high);
}

void run_quick(void) { fill(); quick(0, 3); digest(); }

/* A search tree of nodes from a pool. */
struct node { u32 key; struct node *left, *right; };
static struct node pool[4];

static struct node *insert(struct node *tree, struct node *one) {
    if (!tree)
        return one;
    if (one->key < tree->key)
        tree->left = insert(tree->left, one);
    else if (one->key > tree->key)
        tree->right = insert(tree->right, one);
    return tree;
}

static u32 sum(struct node *tree) {
    return tree ? tree->key + 2 * sum(tree->left) + 3 * sum(tree->right) : 0;
}

void run_tree(void) {
    struct node *tree = 0;
    u32 depth = 1, key = in_b & 0xff;
    for (int i = 0; i < 3; i++) {
        pool[i].key = in_a >> 8 * i & 0xff;
        pool[i].left = pool[i].right = 0;
        tree = insert(tree, &pool[i]);
    }
    u32 total = sum(tree);
    while (tree && tree->key != key) {
        tree = key < tree->key ? tree->left : tree->right;
        depth++;
    }
    out = total + 1000 * (tree ? depth : 0);
}

/* A table with chains. */
struct entry { u32 key, value; struct entry *next; };
static struct entry entries[4], *table[2];

static void put(struct entry *made, u32 key, u32 value) {
    for (struct entry *e = table[key & 1]; e; e = e->next)
        if (e->key == key) { e->value += value; return; }
    made->key = key;
    made->value = value;
    made->next = table[key & 1];
    table[key & 1] = made;
}

void run_chains(void) {
    table[0] = table[1] = 0;
    for (u32 i = 0; i < 3; i++)
        put(&entries[i], in_a >> 4 * i & 7, i + 10);
    out = 77;
    for (struct entry *e = table[in_b & 1]; e; e = e->next)
        if (e->key == (in_b & 7)) { out = e->value; break; }
}

/* What follows the spaces and the sign of a text. Compilers keep the difference of two pointers, which
   is 0 where nothing is skipped. */
static __attribute__((noinline)) int after(const char *s) {
    int i = 0, value = 0;
    while (s[i] == ' ') i++;
    if (s[i] == '-') i++;
    if (s[i] >= '0') value += s[i + 1];
    return value;
}

void run_after(void) {
    for (int i = 0; i < 6; i++)
        digits[i] = i < 3 ? " -17"[in_a >> 2 * i & 3] : '0' + (in_b >> 2 * i & 3);
    digits[6] = digits[7] = 0;
    out = after(digits);
}

/* Words of a text. */
static char text[9];

static int separates(char c) { return c == ' ' || c == ','; }

void run_words(void) {
    u32 words = 0, longest = 0, at = 0;
    for (int i = 0; i < 8; i++)
        text[i] = "ab ,xyz"[in_a >> 3 * i & 7];
    while (text[at]) {
        while (text[at] && separates(text[at])) at++;
        if (!text[at]) break;
        u32 start = at;
        while (text[at] && !separates(text[at])) at++;
        words++;
        if (at - start > longest) longest = at - start;
    }
    out = 100 * words + longest;
}

int main(void) {
#ifdef HOST
    void (*const all[])(void) = {run_table, run_mixed, run_number, run_functions, run_codes, run_fibonacci, run_quick,
                                 run_tree, run_chains, run_words, run_after};
    while (scanf("%u %u", &in_a, &in_b) == 2)
        for (int i = 0; i < 11; i++) {
            all[i]();
            printf("%u\n", out);
        }
#endif
    return 0;
}
