// Sums of four points in integers, of which none is negative; what they differ by from the transform's
// equation is a multiple of p.
module prove_radix_4 (
    input logic            inverse,
    input logic [4*64-1:0] x
);
  localparam logic [127:0] P = 128'hFFFF_FFFF_0000_0001;
  logic [4*114-1:0] y;

  radix_4 unit (
      .clock(1'b0),
      .enable(1'b1),
      .inverse(inverse),
      .x(x),
      .y(y)
  );

  function automatic logic [127:0] point(input logic [4*64-1:0] points, input int at);
    point = {64'b0, points[64*at+:64]};
  endfunction
  function automatic logic [127:0] sum(input logic [4*114-1:0] sums, input int at);
    sum = {14'b0, sums[114*at+:114]};
  endfunction

  // The sign of 2^48, a root of order four, turns in the inverse.
  logic [127:0] quarter, opposite;
  assign quarter  = inverse ? sum(y, 3) : sum(y, 1);
  assign opposite = inverse ? sum(y, 1) : sum(y, 3);

  always_comb begin
    for (int at = 0; at < 4; at++) assume (point(x, at) < P);
    assert (sum(y, 0) == (point(x, 0) + point(x, 2)) + (point(x, 1) + point(x, 3)));
    assert (sum(y, 2) == (point(x, 0) + point(x, 2)) + 2 * P - (point(x, 1) + point(x, 3)));
    assert (quarter == (point(x, 0) + P - point(x, 2)) + ((point(x, 1) + P - point(x, 3)) << 48));
    assert (opposite == (point(x, 0) + P - point(x, 2)) + ((point(x, 3) + P - point(x, 1)) << 48));
  end
endmodule
