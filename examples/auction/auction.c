/* A sealed-bid auction: the highest bidder wins and pays what the second bid. */
#include <stdint.h>

#define BIDDERS 8

uint16_t bid[BIDDERS];

uint32_t winner; /* index of the first highest bid */
uint16_t price;  /* the second highest bid */

int main(void)
{
    uint32_t leader = 0;
    uint16_t best = 0;
    uint16_t second = 0;

    for (uint32_t i = 0; i < BIDDERS; i++) {
        uint16_t loser = bid[i];
        if (bid[i] > best) {
            loser = best;
            best = bid[i];
            leader = i;
        }
        if (loser > second)
            second = loser;
    }

    winner = leader;
    price = second;
    return 0;
}
