// What comes in lane r at beat t leaves in lane t at beat r, SIZE - 1 cycles after the block began.
// One bit of each stands for all. The exchange looks back 2 SIZE - 2 cycles at most, so that induction over as many is a proof.
module prove_swap_beats #(
    parameter int SIZE = 4
) (
    input logic               clock,
    input logic [SIZE-1:0] x
);
  localparam int PAST = 2 * SIZE - 1;
  logic [$clog2(SIZE)-1:0] beat = '0;
  logic [SIZE-1:0] y;
  // What came so many cycles ago, and how many there have been.
  logic [PAST*SIZE-1:0] past;
  logic [3:0] cycles = '0;

  swap_beats #(
      .SIZE(SIZE),
      .WIDTH(1)
  ) unit (
      .clock(clock),
      .enable(1'b1),
      .beat(beat),
      .x(x),
      .y(y)
  );

  logic [(PAST+1)*SIZE-1:0] all;
  assign all = {past, x};

  always_ff @(posedge clock) begin
    beat <= beat + 1'b1;
    past <= all[PAST*SIZE-1:0];
    if (cycles != 4'(PAST)) cycles <= cycles + 4'd1;
  end

  // The block that leaves began SIZE - 1 + its beat cycles ago.
  logic [$clog2(SIZE)-1:0] leaving;
  assign leaving = beat + 1'b1;
  for (genvar t = 0; t < SIZE; t++) begin : g_lanes
    logic [3:0] ago;
    assign ago = 4'(SIZE - 1 - t) + 4'(leaving);
    always_comb begin
      if (cycles == 4'(PAST)) begin
        assert (y[t] == all[SIZE*ago+leaving]);
      end
    end
  end
  always_comb assert (cycles <= 4'(PAST));
endmodule
