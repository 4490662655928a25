// low + 2^32 high as a number from -p to below 2p with the same residue modulo
// p = 2^64 - 2^32 + 1: what of high is above 32 bits, -2 to 1, is worth 2^32 - 1 again.
module join_parts (
    input  logic signed [33:0] low,
    input  logic signed [33:0] high,
    output logic signed [66:0] near
);
  logic signed [66:0] low_part, above;
  assign low_part = {{33{low[33]}}, low};
  assign above = {{65{high[33]}}, high[33:32]};
  assign near = $signed({3'b000, high[31:0], 32'b0}) + (above <<< 32) - above + low_part;
endmodule
