// What `fold_128` gives is in the range that `canonical` takes, and the sum that it should be. Less
// than x it is by a multiple of p: of l + 2^64 m + 2^96 h, what m and h are worth in x is what they
// are worth in the sum and m p, and (2^32 + 1) h p.
module prove_fold_128 (
    input logic [63:0] l,
    input logic [31:0] m,
    input logic [31:0] h
);
  localparam logic signed [66:0] P = 67'sh0_FFFF_FFFF_0000_0001;
  logic signed [66:0] near;

  fold_128 unit (
      .x({h, m, l}),
      .near(near)
  );

  function automatic logic [139:0] value(input logic [31:0] w);
    value = {108'b0, w};
  endfunction

  // p times a number.
  function automatic logic [139:0] times_p(input logic [139:0] q);
    times_p = (q << 64) - (q << 32) + q;
  endfunction

  always_comb begin
    assert (near >= -P && near < 2 * P);
    assert ({{5{near[66]}}, near} == {8'b0, l} + {8'b0, m, 32'b0} - {40'b0, m} - {40'b0, h});
    assert (value(m) << 64 == (value(m) << 32) - value(m) + times_p(value(m)));
    assert (value(h) << 96 == times_p((value(h) << 32) + value(h)) - value(h));
  end
endmodule
