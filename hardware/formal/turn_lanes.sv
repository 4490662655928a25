// Lane i comes out at i + by. Lanes are of two bits here: bits of a lane never meet.
module prove_turn_lanes (
    input logic [31:0] x,
    input logic [ 3:0] by,
    input logic [ 3:0] i
);
  logic [31:0] y;
  logic [3:0] to;
  assign to = i + by;

  turn_lanes #(
      .WIDTH(2)
  ) unit (
      .by(by),
      .x (x),
      .y (y)
  );

  always_comb assert (y[2*to+:2] == x[2*i+:2]);
endmodule
