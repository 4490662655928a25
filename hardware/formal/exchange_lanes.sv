// Every lane comes where it belongs. One bit of each stands for all.
module prove_exchange_lanes #(
    parameter int LANES = 16
) (
    input logic [$clog2(LANES)-1:0] by,
    input logic [        LANES-1:0] x
);
  logic [LANES-1:0] y;

  exchange_lanes #(
      .LANES(LANES),
      .WIDTH(1)
  ) unit (
      .by(by),
      .x (x),
      .y (y)
  );

  for (genvar i = 0; i < LANES; i++) begin : g_lanes
    always_comb assert (y[i] == x[($clog2(LANES))'(i)^by]);
  end
endmodule
