// Registers as wires: a pipeline without a way back computes, of inputs that stay, what it computes
// without its registers.
(* techmap_celltype = "$dff" *)
module wire_for_register #(
    parameter WIDTH = 0,
    parameter CLK_POLARITY = 0
) (
    input CLK,
    input [WIDTH-1:0] D,
    output [WIDTH-1:0] Q
);
  assign Q = D;
endmodule
