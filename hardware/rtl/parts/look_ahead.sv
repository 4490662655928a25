// WIDTH carries at once (equation 13): the addition runs along critical words as a carry does, and
// the exclusive or removes what it left of them. No word both generates a carry and is critical.
// Carry i goes into word i, the last one out.
module look_ahead #(
    parameter int WIDTH = 16
) (
    input  logic [WIDTH-1:0] generates,
    input  logic [WIDTH-1:0] critical,
    input  logic             carry,
    output logic [  WIDTH:0] carries
);
  assign carries = ({generates, 1'b0} + {{WIDTH{1'b0}}, carry} + {1'b0, critical})
      ^ {1'b0, critical};
endmodule
