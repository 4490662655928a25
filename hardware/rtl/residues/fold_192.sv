// A number modulo 2^192 - 1 in two parts with the same residue modulo p = 2^64 - 2^32 + 1, which
// divides that: low + 2^32 high.
//
// With words w5 to w0 of 32 bits, 2^96 = -1 and 2^64 = 2^32 - 1 modulo p:
//   x = (w0 - w3) + 2^32 (w1 - w4) + 2^64 (w2 - w5)
//     = (w0 - w3 - w2 + w5) + 2^32 (w1 - w4 + w2 - w5).
module fold_192 (
    input  logic        [191:0] x,
    output logic signed [ 33:0] low,
    output logic signed [ 33:0] high
);
  function automatic logic signed [33:0] word(input logic [191:0] number, input int at);
    word = $signed({2'b00, number[32*at+:32]});
  endfunction

  assign low = word(x, 0) - word(x, 3) - word(x, 2) + word(x, 5);
  assign high = word(x, 1) - word(x, 4) + word(x, 2) - word(x, 5);
endmodule
