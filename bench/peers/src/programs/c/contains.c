/* Do these four characters stand anywhere in those sixteen? */
char text[16], pattern[4];
unsigned char found;

int main(void)
{
    int any = 0;
    for (int i = 0; i + 4 <= 16; i++) {
        int differ = 0;
        for (int j = 0; j < 4; j++)
            differ |= text[i + j] ^ pattern[j];
        any |= differ == 0;
    }
    found = any;
    return 0;
}
