// R^power for powers below 1,024, in the cycle after: as R^1024 = 8, all others are rotations of
// these, which `radix_64` does before it takes the residue, and so are the inverses.
module roots (
    input  logic        clock,
    input  logic        enable,
    input  logic [ 9:0] power,
    output logic [63:0] factor
);
  /* verilator no_inline_module */
  localparam logic [127:0] ROOT = 128'h001d_bad3_d629_a262;
  localparam logic [127:0] P = 128'hFFFF_FFFF_0000_0001;

  logic [63:0] words[1024];
  logic [127:0] next;

  initial begin
    next = 128'd1;
    for (int i = 0; i < 1024; i++) begin
      words[i] = next[63:0];
      next = next * ROOT % P;
    end
  end

  always_ff @(posedge clock) if (enable) factor <= words[power];
endmodule
