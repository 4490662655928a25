// A number of 128 bits as one from -2^32 to below 2p with the same residue modulo
// p = 2^64 - 2^32 + 1.
//
// Of l + 2^64 m + 2^96 h with m and h of 32 bits: 2^64 = 2^32 - 1 and 2^96 = -1, which leaves
// l + 2^32 m - m - h.
module fold_128 (
    input  logic        [127:0] x,
    output logic signed [ 66:0] near
);
  assign near = $signed({3'b0, x[63:0]}) + $signed({3'b0, x[95:64], 32'b0})
      - $signed({35'b0, x[95:64]}) - $signed({35'b0, x[127:96]});
endmodule
