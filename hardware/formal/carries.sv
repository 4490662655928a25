// Digits that leave are those of the sum, whatever the sums are: SEGMENTS of five digits of three bits,
// of sums of eight bits. Nothing in the argument speaks of the circuit's own widths but that the rest
// of a sum is shorter than a digit, and that a segment has more digits than are estimated.
//
// As `engine` has it: the last four sums are estimated from nothing, all sums decide carries if that
// leaves them unsure, and come again to leave.
module prove_carries #(
    // 1: carries are decided; 2: the lower half of the result is known to be zero; or both.
    parameter int CASE = 0
) (
    input logic clock
);
  localparam bit DECIDES = CASE % 2 == 1;
  localparam bit EXACT = CASE >= 2;
  localparam int SEGMENTS = EXACT ? 3 : 4;
  localparam int ROWS = 5;
  localparam int DIGIT = 3;
  localparam int SUM = 8;
  localparam int BITS = DIGIT * ROWS * SEGMENTS;

  (* anyconst *) logic [ROWS*SEGMENTS*SUM-1:0] sums;
  (* anyconst *) logic [BITS-1:0] any;
  logic [BITS-1:0] added;
  // Digit n of row t is digit t + ROWS n of the number.
  logic [BITS-1:0] number[ROWS*SEGMENTS+1];
  assign added = EXACT ? any : '0;
  assign number[0] = added;
  for (genvar at = 0; at < ROWS * SEGMENTS; at++) begin : g_sums
    assign number[at+1] = number[at] + (BITS'(sums[SUM*at+:SUM]) << (DIGIT * at));
  end

  typedef enum logic [1:0] {
    ESTIMATE,
    DECIDE,
    GIVE
  } pass_t;
  pass_t pass = ESTIMATE;
  // 0 starts, rows follow, two cycles pass until nothing is under way, and carries are passed on.
  logic [3:0] step = '0;
  logic [2:0] rows, row, given = '0;
  logic take, unsure, exceeds, there;
  logic [1:0] there_beat;
  logic [SEGMENTS*SUM-1:0] row_sums;
  logic [SEGMENTS*DIGIT-1:0] row_added, digits, right;
  assign rows = pass == ESTIMATE ? 3'd4 : 3'(ROWS);
  assign take = step != '0 && step <= {1'b0, rows};
  assign row  = pass == ESTIMATE ? 3'(step) + 3'(ROWS - 5) : 3'(step - 4'd1);
  for (genvar n = 0; n < SEGMENTS; n++) begin : g_rows
    assign row_sums[SUM*n+:SUM] = sums[SUM*(ROWS*n+row)+:SUM];
    assign row_added[DIGIT*n+:DIGIT] = added[DIGIT*(ROWS*n+row)+:DIGIT];
    assign right[DIGIT*n+:DIGIT] = number[ROWS*SEGMENTS][DIGIT*(ROWS*n+given)+:DIGIT];
  end

  carries #(
      .LANES(SEGMENTS),
      .SEGMENTS(SEGMENTS),
      .DIGIT(DIGIT),
      .REST(SUM - 2 * DIGIT)
  ) unit (
      .clock(clock),
      .enable(1'b1),
      .clear(step == '0 && pass == ESTIMATE),
      .start(step == '0),
      .pass_on(step == {1'b0, rows} + 4'd3),
      .estimate(pass == ESTIMATE),
      .exact(EXACT),
      .take(take),
      .beat(2'd0),
      .sums(row_sums),
      .added(row_added),
      .unsure(unsure),
      .exceeds(exceeds),
      .there(there),
      .there_beat(there_beat),
      .digits(digits)
  );

  always_ff @(posedge clock) begin
    if (EXACT) assume (number[ROWS*SEGMENTS][BITS/2-1:0] == '0);
    if (step != {1'b0, rows} + 4'd3) begin
      step <= step + 4'd1;
    end else if (pass != GIVE) begin
      if (pass == ESTIMATE) assume (unsure == DECIDES);
      step <= '0;
      pass <= pass == ESTIMATE && unsure ? DECIDE : GIVE;
    end
    if (pass == GIVE && there) begin
      assert (digits == right);
      given <= given + 3'd1;
    end
    // All of them.
    if (pass == GIVE && step == {1'b0, rows} + 4'd3) assert (given == 3'(ROWS));
  end
endmodule
