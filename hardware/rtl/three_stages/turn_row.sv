// x 2^(3 turn), and x 2^(3 turn - 16) if `scale`, modulo 2^192 - 1: a product with a power of two is a
// rotation. p = 2^64 - 2^32 + 1 divides 2^192 - 1.
module turn_row (
    input  logic [  5:0] turn,
    input  logic         scale,
    input  logic [113:0] x,
    output logic [191:0] row
);
  logic [191:0] by_0, by_1, by_2, by_4, by_8, by_16, by_32;
  assign by_0 = {78'b0, x};
  assign by_1 = turn[0] ? {by_0[188:0], by_0[191:189]} : by_0;
  assign by_2 = turn[1] ? {by_1[185:0], by_1[191:186]} : by_1;
  assign by_4 = turn[2] ? {by_2[179:0], by_2[191:180]} : by_2;
  assign by_8 = turn[3] ? {by_4[167:0], by_4[191:168]} : by_4;
  assign by_16 = turn[4] ? {by_8[143:0], by_8[191:144]} : by_8;
  assign by_32 = turn[5] ? {by_16[95:0], by_16[191:96]} : by_16;
  assign row = scale ? {by_32[15:0], by_32[191:16]} : by_32;
endmodule
