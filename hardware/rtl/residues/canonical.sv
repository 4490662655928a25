// A number from -p to 2p - 1 as its residue modulo p = 2^64 - 2^32 + 1, in one cycle. Without
// `enable` registers keep what they have, here and wherever it is a port.
module canonical (
    input  logic               clock,
    input  logic               enable,
    input  logic signed [66:0] x,
    output logic        [63:0] residue
);
  localparam logic signed [66:0] P = 67'sh0_FFFF_FFFF_0000_0001;

  // Both corrections at once, and the choice by their signs.
  logic signed [66:0] less, more;
  assign less = x - P;
  assign more = x + P;

  always_ff @(posedge clock) begin
    if (enable) begin
      if (x[66]) residue <= more[63:0];
      else if (less[66]) residue <= x[63:0];
      else residue <= less[63:0];
    end
  end

  logic unused;
  assign unused = &{1'b0, more[66:64], less[65:64]};
endmodule
