// The product of two residues modulo p = 2^64 - 2^32 + 1, in four cycles: four products of halves,
// their sum, and its residue.
module multiply (
    input  logic        clock,
    input  logic        enable,
    input  logic [63:0] a,
    input  logic [63:0] b,
    output logic [63:0] product
);
  /* verilator no_inline_module */
  logic [63:0] low_low, low_high, high_low, high_high;
  logic [127:0] whole;
  logic signed [66:0] folded, near;

  fold_128 fold (
      .x(whole),
      .near(folded)
  );

  always_ff @(posedge clock) begin
    if (enable) begin
      low_low <= a[31:0] * b[31:0];
      low_high <= a[31:0] * b[63:32];
      high_low <= a[63:32] * b[31:0];
      high_high <= a[63:32] * b[63:32];
      whole <= {high_high, low_low} + {32'b0, low_high, 32'b0} + {32'b0, high_low, 32'b0};
      near <= folded;
    end
  end

  canonical last (
      .clock(clock),
      .enable(enable),
      .x(near),
      .residue(product)
  );
endmodule
