// Sixteen carries at once (equation 13): the addition runs along critical words as a carry does,
// and the exclusive or removes what it left of them. Carry i goes into word i, carry 16 out.
module look_ahead (
    input  logic [15:0] generates,
    input  logic [15:0] critical,
    input  logic        carry,
    output logic [16:0] carries
);
  assign carries = ({generates, 1'b0} + {16'b0, carry} + {1'b0, critical}) ^ {1'b0, critical};
endmodule
