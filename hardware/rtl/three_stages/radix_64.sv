// Transforms of sixty-four points, LANES points a cycle, as three levels of four points by shifts and
// sums: 8 = 2^3 is a root of unity of order 64 modulo p. With the digits (a, b, c) of a point and
// (k, l, m) of a result, to the base of four,
//
//   (16 a + 4 b + c)(k + 4 l + 16 m) = 16 a k + 4 b k + 16 b l + c (k + 4 l) + 16 c m  modulo 64:
//
// the sum over a, a turn by 8^(4 b k), the sum over b, a turn by 8^(c (k + 4 l)), the sum over c.
// Points of a cycle have the same upper digits of c, and come in lane (a, b, rest of c); between the
// second level and the third, c is exchanged for as much of l. Results leave in the lanes that their
// banks ask for (`position`): (m, k), (m, k1, l0, k0) or (m, l, k).
//
// `narrow` results are those of sixteen points (a, b), LANES/16 transforms a cycle, in lane (l, k, c);
// they come twelve cycles after their points, and the others 18 and what the exchange takes.
// Results are turned by 8^(their turn) besides, and the narrow ones divided by 2^16 if `scale`.
module radix_64 #(
    parameter int LANES = 16
) (
    input  logic                clock,
    input  logic                enable,
    input  logic                inverse,
    input  logic                narrow,
    input  logic                scale,
    // Of the points that came seven cycles before, and twelve.
    input  logic [         1:0] turn_beat,
    input  logic [         1:0] swap_beat,
    // For narrow results, of the points that came eight cycles before; for the others, four cycles
    // before they leave.
    input  logic [ LANES*6-1:0] turns,
    input  logic [LANES*64-1:0] x,
    output logic [LANES*64-1:0] narrow_y,
    output logic [LANES*64-1:0] y
);
  localparam int COLUMNS = LANES / 16;

  // After the first level, in lane (k, b, c).
  logic [LANES*64-1:0] first;
  for (genvar i = 0; i < LANES / 4; i++) begin : g_first
    localparam int B = i / COLUMNS;
    logic [ 4*64-1:0] points;
    logic [4*114-1:0] sums;
    for (genvar a = 0; a < 4; a++) begin : g_points
      assign points[64*a+:64] = x[64*(a*4*COLUMNS+i)+:64];
    end
    radix_4 sum_a (
        .clock(clock),
        .enable(enable),
        .inverse(inverse),
        .x(points),
        .y(sums)
    );
    for (genvar k = 0; k < 4; k++) begin : g_results
      localparam logic [5:0] TURN = 6'(4 * B * k);
      logic [5:0] turn;
      always_ff @(posedge clock) if (enable) turn <= inverse ? -TURN : TURN;
      turned_residue turned (
          .clock(clock),
          .enable(enable),
          .turn(turn),
          .scale(1'b0),
          .x(sums[114*k+:114]),
          .residue(first[64*(k*4*COLUMNS+i)+:64])
      );
    end
  end

  // After the second, in lane (l, k, c).
  for (genvar i = 0; i < LANES / 4; i++) begin : g_second
    localparam int K = i / COLUMNS;
    localparam int COLUMN = i % COLUMNS;
    logic [ 4*64-1:0] points;
    logic [4*114-1:0] sums;
    for (genvar b = 0; b < 4; b++) begin : g_points
      assign points[64*b+:64] = first[64*((K*4+b)*COLUMNS+COLUMN)+:64];
    end
    radix_4 sum_b (
        .clock(clock),
        .enable(enable),
        .inverse(inverse),
        .x(points),
        .y(sums)
    );
    for (genvar l = 0; l < 4; l++) begin : g_results
      localparam int LANE = l * 4 * COLUMNS + i;
      localparam logic [5:0] KL = 6'(K + 4 * l);
      logic [1:0] c;
      logic [5:0] turn_soon, turn;
      if (COLUMNS == 1) begin : g_c
        assign c = turn_beat;
      end else if (COLUMNS == 2) begin : g_c
        assign c = {turn_beat[0], 1'(COLUMN)};
      end else begin : g_c
        assign c = 2'(COLUMN);
      end
      assign turn_soon = {4'b0, c} * KL;
      always_ff @(posedge clock) if (enable) turn <= inverse ? -turn_soon : turn_soon;
      turned_residue turned (
          .clock(clock),
          .enable(enable),
          .turn(narrow ? turns[6*LANE+:6] : turn),
          .scale(narrow && scale),
          .x(sums[114*l+:114]),
          .residue(narrow_y[64*LANE+:64])
      );
    end
  end

  // Sets of four points (c) for the third level, the set's digits of k and l in the order of lanes.
  logic [LANES*64-1:0] swapped;
  if (COLUMNS == 1) begin : g_swap
    // Set k: all of l against all of c.
    for (genvar k = 0; k < 4; k++) begin : g_sets
      logic [4*64-1:0] in;
      for (genvar l = 0; l < 4; l++) begin : g_lanes
        assign in[64*l+:64] = narrow_y[64*(4*l+k)+:64];
      end
      swap_beats #(
          .SIZE(4)
      ) exchange (
          .clock(clock),
          .enable(enable),
          .beat(swap_beat),
          .x(in),
          .y(swapped[4*64*k+:4*64])
      );
    end
  end else if (COLUMNS == 2) begin : g_swap
    // Set (k1, l0, k0): the upper bit of l against that of c.
    for (genvar i = 0; i < 16; i++) begin : g_sets
      localparam int SET = i / 2;
      localparam int C0 = i % 2;
      localparam int K = SET / 4 * 2 + SET % 2;
      localparam int L0 = SET / 2 % 2;
      logic [2*64-1:0] in, out;
      assign in = {
        narrow_y[64*(((2+L0)*4+K)*2+C0)+:64], narrow_y[64*((L0*4+K)*2+C0)+:64]
      };
      swap_beats #(
          .SIZE(2)
      ) exchange (
          .clock(clock),
          .enable(enable),
          .beat(swap_beat[0]),
          .x(in),
          .y(out)
      );
      assign swapped[64*(4*SET+C0)+:64] = out[0+:64];
      assign swapped[64*(4*SET+2+C0)+:64] = out[64+:64];
    end
  end else begin : g_swap
    // Set (l, k), all of c there.
    assign swapped = narrow_y;
  end

  for (genvar set = 0; set < LANES / 4; set++) begin : g_third
    logic [4*114-1:0] sums;
    radix_4 sum_c (
        .clock(clock),
        .enable(enable),
        .inverse(inverse),
        .x(swapped[4*64*set+:4*64]),
        .y(sums)
    );
    for (genvar m = 0; m < 4; m++) begin : g_results
      localparam int LANE = m * LANES / 4 + set;
      turned_residue turned (
          .clock(clock),
          .enable(enable),
          .turn(turns[6*LANE+:6]),
          .scale(1'b0),
          .x(sums[114*m+:114]),
          .residue(y[64*LANE+:64])
      );
    end
  end

  logic unused;
  assign unused = &{1'b0, turn_beat, swap_beat};
endmodule
