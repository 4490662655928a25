// Digits of BEATS beats put together: rows of the product, digit n of row t being digit t + 1024 n.
// A row stays until it is taken. One more finds room behind it; then nothing may come (`full`, which
// is a register: what it stops needs most of a cycle to hear of it).
module rows #(
    parameter int LANES = 16,
    parameter int DIGIT = 24,
    localparam int BEATS = 64 / LANES
) (
    input  logic                   clock,
    input  logic                   reset,
    input  logic                   enable,
    input  logic                   there,
    input  logic [            1:0] beat,
    input  logic [LANES*DIGIT-1:0] digits,
    input  logic                   taken,
    output logic                   full,
    output logic                   valid,
    output logic [   64*DIGIT-1:0] row
`ifdef FORMAL
    ,
    // What formal/rows.sv speaks of.
    output logic [   64*DIGIT-1:0] seen_earlier,
    output logic [   64*DIGIT-1:0] seen_behind
`endif
);
  logic comes, moves;
  logic [64*DIGIT-1:0] earlier, now, behind;
  assign comes = enable && there && beat == 2'(BEATS - 1);
  // The front is free, or will be.
  assign moves = !valid || taken;

  for (genvar n = 0; n < 64; n++) begin : g_digits
    // Its beat and lane, as `position` has them.
    localparam int BEAT = BEATS == 4 ? n / 4 % 4 : BEATS == 2 ? n / 8 % 2 : 0;
    localparam int LANE = BEATS == 4 ? n / 16 * 4 + n % 4
        : BEATS == 2 ? n / 16 * 8 + n / 2 % 2 * 4 + n / 4 % 2 * 2 + n % 2 : n;
    assign now[DIGIT*n+:DIGIT] = beat == 2'(BEAT) ? digits[DIGIT*LANE+:DIGIT] : earlier[DIGIT*n+:DIGIT];
  end

  always_ff @(posedge clock) begin
    if (reset) begin
      valid <= 1'b0;
      full  <= 1'b0;
    end else if (moves) begin
      valid <= full || comes;
      full  <= 1'b0;
    end else if (comes) begin
      full <= 1'b1;
    end
    if (enable && there) earlier <= now;
    if (moves) row <= full ? behind : now;
    if (comes) behind <= now;
  end

`ifdef FORMAL
  assign seen_earlier = earlier;
  assign seen_behind  = behind;
`endif
endmodule
