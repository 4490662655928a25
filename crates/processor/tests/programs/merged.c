// Small variables that clang merges into one object where it optimises for speed or size.

static int first, second;
static unsigned char flags[3];
static struct {
    short x, y;
} point;
int a, b;
unsigned result;

int main(void) {
    first += a;
    second ^= b + first;
    flags[first & 1] = second;
    point.x += first;
    point.y -= second + point.x;
    result = (unsigned)(first * 3 + second) + flags[0] + flags[1] + point.y;
    return 0;
}
