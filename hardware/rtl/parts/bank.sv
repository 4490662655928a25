// A memory of 2^ADDRESS words with a port to read and one to write; what is read comes in the cycle
// after.
module bank #(
    parameter int ADDRESS = 12
) (
    input  logic               clock,
    input  logic               read,
    input  logic [ADDRESS-1:0] read_address,
    output logic [       63:0] read_data,
    input  logic               write,
    input  logic [ADDRESS-1:0] write_address,
    input  logic [       63:0] write_data
);
  logic [63:0] words[1<<ADDRESS] /* verilator public_flat_rd */;

  always_ff @(posedge clock) begin
    if (read) read_data <= words[read_address];
    if (write) words[write_address] <= write_data;
  end
endmodule
