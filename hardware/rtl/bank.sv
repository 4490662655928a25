// A memory of 4,096 words with a port to read and one to write; what is read comes in the cycle
// after.
module bank (
    input  logic        clock,
    input  logic        read,
    input  logic [11:0] read_address,
    output logic [63:0] read_data,
    input  logic        write,
    input  logic [11:0] write_address,
    input  logic [63:0] write_data
);
  logic [63:0] words[4096] /* verilator public_flat_rd */;

  always_ff @(posedge clock) begin
    if (read) read_data <= words[read_address];
    if (write) words[write_address] <= write_data;
  end
endmodule
