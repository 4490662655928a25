/* Kinds of characters: a range is one comparison, and `|` where `||` would branch. */

static int within(int c, int low, int high)
{
    return (unsigned)c - (unsigned)low <= (unsigned)high - (unsigned)low;
}

int isdigit(int c) { return within(c, '0', '9'); }
int islower(int c) { return within(c, 'a', 'z'); }
int isupper(int c) { return within(c, 'A', 'Z'); }
int isalpha(int c) { return within(c | 32, 'a', 'z'); }
int isalnum(int c) { return isalpha(c) | isdigit(c); }
int isblank(int c) { return (c == ' ') | (c == '\t'); }
int iscntrl(int c) { return within(c, 0, 31) | (c == 127); }
int isgraph(int c) { return within(c, '!', '~'); }
int isprint(int c) { return within(c, ' ', '~'); }
int ispunct(int c) { return isgraph(c) & (isalnum(c) ^ 1); }
int isspace(int c) { return (c == ' ') | within(c, '\t', '\r'); }
int isxdigit(int c) { return isdigit(c) | within(c | 32, 'a', 'f'); }
int tolower(int c) { return c + (isupper(c) << 5); }
int toupper(int c) { return c - (islower(c) << 5); }
