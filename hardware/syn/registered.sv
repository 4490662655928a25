// Units between shift registers, for syn/fpga: a chip has fewer pins than they have ports.
/* verilator lint_off DECLFILENAME */
// Four points, and each result turned to a residue: a quarter of a level of `radix_64`.
module registered_points (
    input  logic clock,
    input  logic in,
    input  logic load,
    output logic out
);
  logic [4*64+27-1:0] given;
  logic [ 4*114-1:0] sums;
  logic [  4*64-1:0] residues, taken;

  always_ff @(posedge clock) begin
    given <= {given[4*64+27-2:0], in};
    taken <= load ? residues : {1'b0, taken[4*64-1:1]};
  end
  assign out = taken[0];

  radix_4 level (
      .clock(clock),
      .enable(given[256]),
      .inverse(given[257]),
      .x(given[255:0]),
      .y(sums)
  );
  for (genvar i = 0; i < 4; i++) begin : g_results
    turned_residue result (
        .clock(clock),
        .enable(given[256]),
        .turn(given[259+6*i+:6]),
        .scale(given[258]),
        .x(sums[114*i+:114]),
        .residue(residues[64*i+:64])
    );
  end
endmodule

// A product of residues.
module registered_product (
    input  logic clock,
    input  logic in,
    input  logic load,
    output logic out
);
  logic [128:0] given;
  logic [63:0] product, taken;

  always_ff @(posedge clock) begin
    given <= {given[127:0], in};
    taken <= load ? product : {1'b0, taken[63:1]};
  end
  assign out = taken[0];

  multiply multiplier (
      .clock(clock),
      .enable(given[128]),
      .a(given[63:0]),
      .b(given[127:64]),
      .product(product)
  );
endmodule
