// A sealed-bid auction of four: the highest bid wins and pays the second highest.
module auction(
    input  [7:0] ada, blaise, carl, dorothy,
    output [1:0] winner,
    output [7:0] price
);
    wire left = blaise > ada;
    wire right = dorothy > carl;
    wire [7:0] best_left = left ? blaise : ada;
    wire [7:0] best_right = right ? dorothy : carl;
    wire side = best_right > best_left;
    // The loser of the final, or whom its winner beat before.
    wire [7:0] final_loser = side ? best_left : best_right;
    wire [7:0] beaten = side ? (right ? carl : dorothy) : (left ? ada : blaise);

    assign winner = {side, side ? right : left};
    assign price = final_loser > beaten ? final_loser : beaten;
endmodule
