// By which power of R, the root of unity of order 65,536, what a stage writes at a position is
// multiplied. With the digits (a, b, c) of samples and (k, l, m) of the spectrum, of six, six and
// four bits from the highest,
//
//   (1024 a + 16 b + c)(k + 64 l + 4096 m)
//     = 1024 a k + (16 b + c) k + 1024 b l + 64 c l + 4096 c m  modulo 65,536,
//
// where sample (a, b, c) lies at the position of these digits, and so does frequency (k, l, m):
// forward, (16 b + c) k after the highest digit and 64 c l after the middle one; back, where the
// exponents are negated, 64 c l after the lowest digit and (16 b + c) k after the middle one.
module exponent (
    input  logic        inverse,
    // The first of the two, or the second.
    input  logic        outer,
    input  logic        inner,
    input  logic [15:0] position,
    output logic [15:0] power
);
  logic [9:0] left;
  logic [5:0] right;
  logic [15:0] product;
  assign left = outer ? position[9:0] : {position[3:0], 6'b0};
  assign right = outer ? position[15:10] : position[9:4];
  assign product = {6'b0, left} * {10'b0, right};
  assign power = !(outer || inner) ? '0 : inverse ? -product : product;
endmodule
