/* A linear credit score, and the grade it earns. */
#include <stdint.h>

uint16_t age;            /* years */
uint16_t income;         /* tens per month */
uint16_t debt;           /* tens */
uint16_t years_employed;
uint16_t late_payments;  /* in the last two years */

int32_t score;
uint8_t grade; /* 0: refused, 1: to a clerk, 2: accepted, 3: accepted at the best rate */

int main(void)
{
    int32_t points = 300;

    points += 2 * age;
    points += income / 2;
    points -= debt / 8;
    points += 10 * years_employed;
    points -= 40 * late_payments;

    score = points;
    grade = (points >= 450) + (points >= 600) + (points >= 750);
    return 0;
}
