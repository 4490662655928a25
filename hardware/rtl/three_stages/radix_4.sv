// The transform of four points, in two cycles: result d is the sum of x_b 2^(48 b d), of
// x_b 2^(-48 b d) in the inverse, and a multiple of p that keeps it from being negative. 2^48 is a
// root of unity of order four modulo p = 2^64 - 2^32 + 1: its square 2^96 is -1.
module radix_4 (
    input  logic             clock,
    input  logic             enable,
    input  logic             inverse,
    input  logic [ 4*64-1:0] x,
    output logic [4*114-1:0] y
);
  /* verilator no_inline_module */
  localparam logic [65:0] P = 66'h0_FFFF_FFFF_0000_0001;

  function automatic logic [64:0] point(input logic [4*64-1:0] points, input int at);
    point = {1'b0, points[64*at+:64]};
  endfunction

  logic [64:0] sum_02, sum_13, less_02, less_13, less_31, quarter, opposite;
  assign quarter  = inverse ? less_31 : less_13;
  assign opposite = inverse ? less_13 : less_31;

  always_ff @(posedge clock) begin
    if (enable) begin
      sum_02 <= point(x, 0) + point(x, 2);
      sum_13 <= point(x, 1) + point(x, 3);
      less_02 <= point(x, 0) + P[64:0] - point(x, 2);
      less_13 <= point(x, 1) + P[64:0] - point(x, 3);
      less_31 <= point(x, 3) + P[64:0] - point(x, 1);

      y[0+:114] <= {48'b0, {1'b0, sum_02} + {1'b0, sum_13}};
      y[114+:114] <= {49'b0, less_02} + {1'b0, quarter, 48'b0};
      y[228+:114] <= {48'b0, {1'b0, sum_02} + (P << 1) - {1'b0, sum_13}};
      y[342+:114] <= {49'b0, less_02} + {1'b0, opposite, 48'b0};
    end
  end
endmodule
