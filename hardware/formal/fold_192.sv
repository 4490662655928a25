// x less low + 2^32 high is a multiple of p. Low and high are the sums that they should be, without
// overflow; and of each word, what it is worth in x is what it is worth in low + 2^32 high and a
// multiple of p, which is named. Sums of these make the whole: 2^96 + 1 = (2^32 + 1) p.
module prove_fold_192 (
    input logic [31:0] w0,
    input logic [31:0] w1,
    input logic [31:0] w2,
    input logic [31:0] w3,
    input logic [31:0] w4,
    input logic [31:0] w5
);
  logic signed [33:0] low, high;

  fold_192 unit (
      .x({w5, w4, w3, w2, w1, w0}),
      .low(low),
      .high(high)
  );

  function automatic logic [39:0] wide(input logic [31:0] w);
    wide = {8'b0, w};
  endfunction

  function automatic logic [199:0] value(input logic [31:0] w);
    value = {168'b0, w};
  endfunction

  // p times a number.
  function automatic logic [199:0] times_p(input logic [199:0] q);
    times_p = (q << 64) - (q << 32) + q;
  endfunction

  always_comb begin
    assert ({{6{low[33]}}, low} == wide(w0) - wide(w3) - wide(w2) + wide(w5));
    assert ({{6{high[33]}}, high} == wide(w1) - wide(w4) + wide(w2) - wide(w5));
    assert (value(w2) << 64 == (value(w2) << 32) - value(w2) + times_p(value(w2)));
    assert (value(w3) << 96 == times_p((value(w3) << 32) + value(w3)) - value(w3));
    assert (value(w4) << 128
        == times_p((value(w4) << 64) + (value(w4) << 32)) - (value(w4) << 32));
    assert (value(w5) << 160 == value(w5) - (value(w5) << 32)
        + times_p((value(w5) << 96) + (value(w5) << 64) - value(w5)));
  end
endmodule
