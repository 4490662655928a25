// Where the sixteen samples of a group lie (equations 10 to 12): sample k, whose position has the
// digit k at `digit` and the three digits of `group` elsewhere, is in bank k + turn, the sum of
// its digits, at the address of its upper three.
module addresses (
    input  logic [      11:0] group,
    input  logic [       1:0] digit,
    output logic [       3:0] turn,
    output logic [16*12-1:0] address
);
  assign turn = group[11:8] + group[7:4] + group[3:0];

  for (genvar bank = 0; bank < 16; bank++) begin : g_banks
    logic [3:0] k;
    assign k = 4'(bank) - turn;
    assign address[12*bank+:12] = digit == 2'd0 ? group : digit == 2'd1 ? {group[11:4], k}
        : digit == 2'd2 ? {group[11:8], k, group[7:4]} : {k, group[11:4]};
  end
endmodule
