/* Sixteen characters in capitals. */
char text[16];
char capitals[16];

int main(void)
{
    for (int i = 0; i < 16; i++) {
        unsigned char c = text[i];
        capitals[i] = c >= 'a' && c <= 'z' ? c - 32 : c;
    }
    return 0;
}
