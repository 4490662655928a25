// Memories as timing sees them, for syn/run --whole: a register at every pin, nothing within. Their
// area is not counted, their bits are.
/* verilator lint_off DECLFILENAME */
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
  (* keep *) logic [2*ADDRESS+1:0] control;
  always_ff @(posedge clock) begin
    control   <= {read, write, read_address, write_address};
    read_data <= write_data;
  end
endmodule

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
  (* keep *) logic [ADDRESS+1:0] control;
  always_ff @(posedge clock) begin
    control   <= {read, write, address};
    read_data <= write_data;
  end
endmodule

module roots (
    input  logic        clock,
    input  logic        enable,
    input  logic [ 9:0] power,
    output logic [63:0] factor
);
  (* keep *) logic control;
  always_ff @(posedge clock) begin
    control <= enable;
    factor  <= 64'({7{power}});
  end
endmodule

module twiddles #(
    parameter int LANE = 1
) (
    input  logic        clock,
    input  logic        inverse,
    input  logic [11:0] m,
    output logic [63:0] factor
);
  (* keep *) logic control;
  always_ff @(posedge clock) begin
    control <= inverse;
    factor  <= 64'({6{m}} ^ 72'(LANE));
  end
endmodule
