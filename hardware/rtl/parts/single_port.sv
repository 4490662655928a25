// A memory of 2^ADDRESS words with one port, which reads or writes; what is read comes in the cycle
// after.
module single_port #(
    parameter int ADDRESS = 12,
    parameter int WIDTH   = 64
) (
    input  logic               clock,
    input  logic               read,
    input  logic               write,
    input  logic [ADDRESS-1:0] address,
    input  logic [  WIDTH-1:0] write_data,
    output logic [  WIDTH-1:0] read_data
);
  logic [WIDTH-1:0] words[1<<ADDRESS];

  always_ff @(posedge clock) begin
    if (write) words[address] <= write_data;
    else if (read) read_data <= words[address];
  end
endmodule
