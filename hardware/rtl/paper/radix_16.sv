// The transform of sixteen points by shifts and sums (the paper's equations 8 and 9), in eight
// cycles: 2^12 is a root of unity of order sixteen modulo p.
//
// The inverse is the forward transform of the points in reverse order, divided by 16, which is a
// rotation by 188 bits. Where `turned`, result k is divided by 2^(12 k) besides: see `twiddles`.
module radix_16 (
    input  logic             clock,
    input  logic             inverse,
    input  logic             turned,
    input  logic [16*64-1:0] x,
    output logic [16*64-1:0] y
);
  // The points, reversed for the inverse.
  logic [16*64-1:0] points;
  // With the sums.
  logic [4:0] inverses, turns;

  for (genvar n = 0; n < 16; n++) begin : g_points
    always_ff @(posedge clock) points[64*n+:64] <= inverse ? x[64*((16-n)%16)+:64] : x[64*n+:64];
  end

  always_ff @(posedge clock) begin
    inverses <= {inverses[3:0], inverse};
    turns <= {turns[3:0], turned};
  end

  for (genvar k = 0; k < 16; k++) begin : g_results
    logic [16*192-1:0] rows;
    logic [191:0] sum, scaled;

    for (genvar n = 0; n < 16; n++) begin : g_rows
      localparam int SHIFT = 12 * n * k % 192;
      if (SHIFT == 0) begin : g_still
        assign rows[192*n+:192] = {128'b0, points[64*n+:64]};
      end else begin : g_rotated
        logic [191:0] row;
        assign row = {128'b0, points[64*n+:64]};
        assign rows[192*n+:192] = {row[191-SHIFT:0], row[191:192-SHIFT]};
      end
    end

    sum_16 adder (
        .clock(clock),
        .rows (rows),
        .sum  (sum)
    );

    localparam int TURN = (188 + 192 - 12 * k) % 192;
    assign scaled = !inverses[4] ? sum : turns[4] ? {sum[191-TURN:0], sum[191:192-TURN]}
        : {sum[3:0], sum[191:4]};

    normalize last (
        .clock(clock),
        .enable(1'b1),
        .x(scaled),
        .residue(y[64*k+:64])
    );
  end
endmodule
