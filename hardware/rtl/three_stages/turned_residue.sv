// x 2^(3 turn), and x 2^(3 turn - 16) if `scale`, as its residue modulo p = 2^64 - 2^32 + 1, in four
// cycles.
module turned_residue (
    input  logic         clock,
    input  logic         enable,
    input  logic [  5:0] turn,
    input  logic         scale,
    input  logic [113:0] x,
    output logic [ 63:0] residue
);
  /* verilator no_inline_module */
  logic [191:0] row_now, row;
  turn_row power_of_two (
      .turn(turn),
      .scale(scale),
      .x(x),
      .row(row_now)
  );

  always_ff @(posedge clock) if (enable) row <= row_now;

  normalize last (
      .clock(clock),
      .enable(enable),
      .x(row),
      .residue(residue)
  );
endmodule
