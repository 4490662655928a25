/* Are two strings of sixteen characters the same but for capitals? */
char left[16], right[16];
unsigned char same;

static unsigned char lower(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

int main(void)
{
    int differ = 0;
    for (int i = 0; i < 16; i++)
        differ |= lower(left[i]) ^ lower(right[i]);
    same = differ == 0;
    return 0;
}
