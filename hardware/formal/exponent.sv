// Powers of the inverse are those of the transform, negated, and are what the equation says.
module prove_exponent (
    input logic        outer,
    input logic        inner,
    input logic [15:0] position
);
  logic [15:0] forward, backward, expected;

  exponent there (
      .inverse(1'b0),
      .outer(outer),
      .inner(inner),
      .position(position),
      .power(forward)
  );
  exponent back (
      .inverse(1'b1),
      .outer(outer),
      .inner(inner),
      .position(position),
      .power(backward)
  );

  // Digits of a position, of six, six and four bits.
  logic [15:0] high, middle, low;
  assign high = {10'b0, position[15:10]};
  assign middle = {10'b0, position[9:4]};
  assign low = {12'b0, position[3:0]};

  always_comb begin
    assume (!(outer && inner));
    expected = outer ? {6'b0, middle[5:0], low[3:0]} * high : inner ? 16'd64 * low * middle : 16'd0;
    assert (forward == expected);
    assert (backward == -forward);
  end
endmodule
