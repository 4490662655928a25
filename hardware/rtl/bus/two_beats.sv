// Room for two beats between a sender and a receiver: neither's `ready` or `valid` depends on the
// other side's in the same cycle, and a beat goes through every cycle if both want.
//
// The receiver sees `out`, which changes only when it is empty or is taken. The spare beat is
// filled only when `out` stays, and then there is no more room.
module two_beats #(
    parameter int WIDTH = 257
) (
    input  logic             clock,
    input  logic             reset,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out
);
  logic spare_valid, moves;
  logic [WIDTH-1:0] spare;
  assign in_ready = !spare_valid;
  assign moves = !out_valid || out_ready;

  always_ff @(posedge clock) begin
    if (reset) begin
      out_valid   <= 1'b0;
      spare_valid <= 1'b0;
    end else if (moves) begin
      out_valid   <= in_valid || spare_valid;
      spare_valid <= 1'b0;
    end else if (in_valid) begin
      spare_valid <= 1'b1;
    end
    if (moves) out <= spare_valid ? spare : in;
    if (!spare_valid) spare <= in;
  end
endmodule
