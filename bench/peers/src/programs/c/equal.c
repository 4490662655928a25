/* Are two strings of sixteen characters the same? */
char left[16], right[16];
unsigned char same;

int main(void)
{
    int differ = 0;
    for (int i = 0; i < 16; i++)
        differ |= left[i] ^ right[i];
    same = differ == 0;
    return 0;
}
