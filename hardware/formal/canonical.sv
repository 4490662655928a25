// What `canonical` gives is below p, and differs from what it takes by p, 0 or -p.
module prove_canonical (
    input logic signed [66:0] x
);
  localparam logic signed [66:0] P = 67'sh0_FFFF_FFFF_0000_0001;
  logic [63:0] residue;
  logic signed [66:0] result;
  assign result = $signed({3'b0, residue});

  canonical unit (
      .clock(1'b0),
      .enable(1'b1),
      .x(x),
      .residue(residue)
  );

  always_comb begin
    assume (x >= -P && x < 2 * P);
    assert (result < P);
    assert (result == x || result == x - P || result == x + P);
  end
endmodule
