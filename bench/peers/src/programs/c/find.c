/* Where do these four characters stand first in those sixteen? */
char text[16], pattern[4];
unsigned char found;
unsigned place;

int main(void)
{
    unsigned first = 0, any = 0;
    for (int i = 12; i >= 0; i--) {
        int differ = 0;
        for (int j = 0; j < 4; j++)
            differ |= text[i + j] ^ pattern[j];
        first = differ == 0 ? (unsigned)i : first;
        any |= differ == 0;
    }
    place = first;
    found = any;
    return 0;
}
