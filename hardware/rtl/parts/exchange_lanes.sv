// Lanes exchanged: lane i comes out at i xor `by`. Twice by the same is nothing.
module exchange_lanes #(
    parameter int LANES = 16,
    parameter int WIDTH = 64
) (
    input  logic [$clog2(LANES)-1:0] by,
    input  logic [  LANES*WIDTH-1:0] x,
    output logic [  LANES*WIDTH-1:0] y
);
  logic [5:0] steps;
  logic [LANES*WIDTH-1:0] by_1, by_2, by_4, by_8, by_16;
  assign steps = 6'(by);

  for (genvar i = 0; i < LANES; i++) begin : g_lanes
    assign by_1[WIDTH*i+:WIDTH] = steps[0] ? x[WIDTH*(i^1)+:WIDTH] : x[WIDTH*i+:WIDTH];
    assign by_2[WIDTH*i+:WIDTH] = steps[1] ? by_1[WIDTH*(i^2)+:WIDTH] : by_1[WIDTH*i+:WIDTH];
    assign by_4[WIDTH*i+:WIDTH] = steps[2] ? by_2[WIDTH*(i^4)+:WIDTH] : by_2[WIDTH*i+:WIDTH];
    assign by_8[WIDTH*i+:WIDTH] = steps[3] ? by_4[WIDTH*(i^8)+:WIDTH] : by_4[WIDTH*i+:WIDTH];
    // There are no such steps where there are fewer lanes.
    assign by_16[WIDTH*i+:WIDTH] =
        steps[4] ? by_8[WIDTH*((i^16)%LANES)+:WIDTH] : by_8[WIDTH*i+:WIDTH];
    assign y[WIDTH*i+:WIDTH] =
        steps[5] ? by_16[WIDTH*((i^32)%LANES)+:WIDTH] : by_16[WIDTH*i+:WIDTH];
  end
endmodule
