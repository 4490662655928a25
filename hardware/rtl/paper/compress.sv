// Three rows to two with the same sum modulo 2^192 - 1: a carry out of the top is a carry into the
// bottom.
module compress (
    input  logic [191:0] a,
    input  logic [191:0] b,
    input  logic [191:0] c,
    output logic [191:0] sum,
    output logic [191:0] carry
);
  logic [191:0] majority;
  assign majority = (a & b) | (a & c) | (b & c);
  assign sum = a ^ b ^ c;
  assign carry = {majority[190:0], majority[191]};
endmodule
