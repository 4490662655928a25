// Sixteen lanes turned: lane i comes out at i + by, modulo sixteen.
module turn_lanes #(
    parameter int WIDTH = 64
) (
    input  logic [         3:0] by,
    input  logic [16*WIDTH-1:0] x,
    output logic [16*WIDTH-1:0] y
);
  localparam int W = WIDTH;
  logic [16*W-1:0] one, two, four;
  assign one = by[0] ? {x[15*W-1:0], x[16*W-1:15*W]} : x;
  assign two = by[1] ? {one[14*W-1:0], one[16*W-1:14*W]} : one;
  assign four = by[2] ? {two[12*W-1:0], two[16*W-1:12*W]} : two;
  assign y = by[3] ? {four[8*W-1:0], four[16*W-1:8*W]} : four;
endmodule
