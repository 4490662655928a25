// What `join_parts` gives is in the range that `canonical` takes, for all parts that `fold_192`
// makes, and less than low + 2^32 high by p times what of high is above 32 bits.
module prove_join_parts (
    input logic signed [33:0] low,
    input logic signed [33:0] high
);
  localparam logic signed [69:0] P = 70'sh0_FFFF_FFFF_0000_0001;
  logic signed [66:0] near;
  logic signed [69:0] above, both;

  join_parts unit (
      .low (low),
      .high(high),
      .near(near)
  );

  assign above = {{68{high[33]}}, high[33:32]};
  assign both = $signed({{36{low[33]}}, low}) + ($signed({{36{high[33]}}, high}) <<< 32);

  always_comb begin
    assert (near >= -P && near < 2 * P);
    assert (both == $signed({{3{near[66]}}, near}) + (above <<< 64) - (above <<< 32) + above);
  end
endmodule
