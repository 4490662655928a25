// Everything that ports can be: signed and unsigned, one bit wide, reversed, off zero, constant,
// passed through. `build` makes cells of all kinds of it.
module words(
    input  signed [3:0] a,
    input  [0:2] reversed,
    input  [7:4] high,
    input  c,
    output signed [4:0] sum,
    output [6:0] product,
    output [2:0] through,
    output [2:0] fixed,
    output parity,
    output less
);
    assign sum = c ? a - $signed(high) : a + $signed(high);
    assign product = high * reversed;
    assign through = reversed;
    assign fixed = {c, 2'b10};
    assign parity = ^{a, high, c};
    assign less = a < $signed(high);
endmodule
