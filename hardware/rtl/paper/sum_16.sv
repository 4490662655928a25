// The sum of sixteen rows modulo 2^192 - 1 in four cycles: two of carry-save adders, sixteen rows
// to six and six to two, and two of a sum with its carry brought round. Zero may come as 2^192 - 1.
module sum_16 (
    input  logic              clock,
    input  logic [16*192-1:0] rows,
    output logic [     191:0] sum
);
  /* verilator no_inline_module */
  // Rows of each level: a third of them by compressors, the rest as they are.
  logic [191:0] level_0[16];
  logic [191:0] level_1[11];
  logic [191:0] level_2[8];
  logic [191:0] level_3[6];
  logic [191:0] level_4[4];
  logic [191:0] level_5[3];
  logic [191:0] level_6[2];
  logic [191:0] six[6];
  logic [191:0] two[2];
  logic [192:0] both;

  for (genvar i = 0; i < 16; i++) begin : g_rows
    assign level_0[i] = rows[192*i+:192];
  end

  for (genvar i = 0; i < 5; i++) begin : g_level_1
    compress adder (
        .a(level_0[3*i]),
        .b(level_0[3*i+1]),
        .c(level_0[3*i+2]),
        .sum(level_1[2*i]),
        .carry(level_1[2*i+1])
    );
  end
  assign level_1[10] = level_0[15];

  for (genvar i = 0; i < 3; i++) begin : g_level_2
    compress adder (
        .a(level_1[3*i]),
        .b(level_1[3*i+1]),
        .c(level_1[3*i+2]),
        .sum(level_2[2*i]),
        .carry(level_2[2*i+1])
    );
  end
  assign level_2[6] = level_1[9];
  assign level_2[7] = level_1[10];

  for (genvar i = 0; i < 2; i++) begin : g_level_3
    compress adder (
        .a(level_2[3*i]),
        .b(level_2[3*i+1]),
        .c(level_2[3*i+2]),
        .sum(level_3[2*i]),
        .carry(level_3[2*i+1])
    );
  end
  assign level_3[4] = level_2[6];
  assign level_3[5] = level_2[7];

  for (genvar i = 0; i < 6; i++) begin : g_six
    always_ff @(posedge clock) six[i] <= level_3[i];
  end

  for (genvar i = 0; i < 2; i++) begin : g_level_4
    compress adder (
        .a(six[3*i]),
        .b(six[3*i+1]),
        .c(six[3*i+2]),
        .sum(level_4[2*i]),
        .carry(level_4[2*i+1])
    );
  end

  compress to_three (
      .a(level_4[0]),
      .b(level_4[1]),
      .c(level_4[2]),
      .sum(level_5[0]),
      .carry(level_5[1])
  );
  assign level_5[2] = level_4[3];

  compress to_two (
      .a(level_5[0]),
      .b(level_5[1]),
      .c(level_5[2]),
      .sum(level_6[0]),
      .carry(level_6[1])
  );

  always_ff @(posedge clock) begin
    two[0] <= level_6[0];
    two[1] <= level_6[1];
    both <= {1'b0, two[0]} + {1'b0, two[1]};
    sum <= both[191:0] + {191'b0, both[192]};
  end
endmodule
