/* A sealed-bid auction among people who trust nobody with their bids: each of them encrypts one
   variable. The highest bidder wins and pays what the second bid. */
#include <stdint.h>

#define BIDDERS 3

uint16_t bid_1;
uint16_t bid_2;
uint16_t bid_3;

uint32_t winner; /* 1, 2 or 3: the first highest bid */
uint16_t price;  /* the second highest bid */

int main(void)
{
    const uint16_t bid[BIDDERS] = {bid_1, bid_2, bid_3};
    uint32_t leader = 1;
    uint16_t best = bid[0];
    uint16_t second = 0;

    for (uint32_t i = 1; i < BIDDERS; i++) {
        uint16_t loser = bid[i];
        if (bid[i] > best) {
            loser = best;
            best = bid[i];
            leader = i + 1;
        }
        if (loser > second)
            second = loser;
    }

    winner = leader;
    price = second;
    return 0;
}
