/* Sum, maximum and mean of ten numbers. */
unsigned number[10];
unsigned total, highest, mean;

int main(void)
{
    unsigned sum = 0, most = 0;
    for (int i = 0; i < 10; i++) {
        sum += number[i];
        if (number[i] > most)
            most = number[i];
    }
    total = sum;
    highest = most;
    mean = sum / 10;
    return 0;
}
