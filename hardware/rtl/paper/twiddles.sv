// Twiddle factors for one lane: R^(LANE m), in the cycle after. One memory serves both directions:
// R^4096 = 2^12, so that
//   R^(-LANE m) = R^(LANE (4096 - m)) / 2^(12 LANE),
// and the division is a rotation, which `radix_16` does where m is not zero.
module twiddles #(
    parameter int LANE = 1
) (
    input  logic        clock,
    input  logic        inverse,
    input  logic [11:0] m,
    output logic [63:0] factor
);
  localparam logic [63:0] ROOT = 64'h001d_bad3_d629_a262;
  localparam logic [127:0] P = 128'hFFFF_FFFF_0000_0001;

  logic [63:0] words[4096];

  logic [127:0] step, power;

  initial begin
    step  = 128'd1;
    power = 128'd1;
    for (int i = 0; i < LANE; i++) step = step * {64'b0, ROOT} % P;
    for (int i = 0; i < 4096; i++) begin
      words[i] = power[63:0];
      power = power * step % P;
    end
  end

  always_ff @(posedge clock) factor <= words[inverse?-m : m];
endmodule
