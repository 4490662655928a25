// The same, so many cycles later; at once, if none.
module delay #(
    parameter int WIDTH  = 64,
    parameter int CYCLES = 1
) (
    input  logic             clock,
    input  logic             enable,
    input  logic [WIDTH-1:0] x,
    output logic [WIDTH-1:0] y
);
  if (CYCLES == 0) begin : g_wires
    assign y = x;
    logic unused;
    assign unused = &{1'b0, clock, enable};
  end else begin : g_registers
    logic [WIDTH-1:0] kept[CYCLES];
    always_ff @(posedge clock) begin
      if (enable) begin
        kept[0] <= x;
        for (int i = 1; i < CYCLES; i++) kept[i] <= kept[i-1];
      end
    end
    assign y = kept[CYCLES-1];
  end
endmodule
