#include <blindcore.h>
SECRET double loan, rate, payment;
OUTPUT double balance[12], interest;

int main(void)
{
    double left = loan, monthly = rate / 1200, paid = 0;
    for (int month = 0; month < 12; month++) {
        double cost = left * monthly;
        paid += cost;
        left = left + cost - payment;
        balance[month] = left;
    }
    interest = paid;
    return 0;
}
