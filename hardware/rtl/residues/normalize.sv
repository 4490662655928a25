// A number modulo 2^192 - 1 as its residue modulo p = 2^64 - 2^32 + 1, in three cycles.
module normalize (
    input  logic         clock,
    input  logic         enable,
    input  logic [191:0] x,
    output logic [ 63:0] residue
);
  /* verilator no_inline_module */
  logic signed [33:0] low_now, high_now, low, high;
  logic signed [66:0] near_now, near;

  fold_192 fold (
      .x(x),
      .low(low_now),
      .high(high_now)
  );

  join_parts join_both (
      .low (low),
      .high(high),
      .near(near_now)
  );

  always_ff @(posedge clock) begin
    if (enable) begin
      low  <= low_now;
      high <= high_now;
      near <= near_now;
    end
  end

  canonical last (
      .clock(clock),
      .enable(enable),
      .x(near),
      .residue(residue)
  );
endmodule
