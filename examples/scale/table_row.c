/* One row of a table: a linear credit score, and the grade it earns. A table of 10,000 rows is 10,000 of
 * these, which do not wait for each other. */
#include <blindcore.h>
#include <stdint.h>

SECRET uint16_t age;            /* years */
SECRET uint16_t income;         /* tens per month */
SECRET uint16_t debt;           /* tens */
SECRET uint16_t years_employed;
SECRET uint16_t late_payments;  /* in the last two years */

OUTPUT int32_t score;
OUTPUT uint8_t grade; /* 0: refused, 1: to a clerk, 2: accepted, 3: accepted at the best rate */

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
