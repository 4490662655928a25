// Carries of 64 segments side by side: position j + 1024 n is digit j of segment n. A beat brings the
// sums of LANES segments, in the lanes that `position` writes; a segment's sums come from the lowest
// up, and its digits leave two cycles later.
//
// First cycle: where the blocks of 24 bits of three sums meet, they are added, and a digit of what is
// added besides. Second cycle: what the segment has carried, 3 at most, is added, and the rest above
// 24 bits is carried on. What is left when a segment ends belongs to the next one; `pass_on` moves
// it there.
//
// Which carries a segment begins with is so known only when all have ended. So the last four sums
// of each come first, from nothing (`estimate`). What they leave is right, or one too little: sums
// that were left out can only matter if the last two digits are full. Where such digits are found
// (`unsure`), all sums come once without leaving; which segments carried one more than thought
// (`generates`) and which would pass another one on (`critical`) decides all carries at once, and
// then sums come again.
//
// If `exact`, the lower 32 segments are known to be zero: full digits there are such that lack one.
module carries #(
    parameter int LANES = 16
) (
    input  logic                clock,
    input  logic                enable,
    // Begins with nothing.
    input  logic                clear,
    // Sums are about to come for the first time, or again.
    input  logic                start,
    // What segments have left passes on. Between these, nothing may be under way.
    input  logic                pass_on,
    input  logic                estimate,
    input  logic                exact,
    input  logic                take,
    input  logic [         1:0] beat,
    input  logic [LANES*64-1:0] sums,
    input  logic [LANES*24-1:0] added,
    output logic                unsure,
    // The highest segment has something left: the sum has more digits than there are.
    output logic                exceeds,
    output logic                there,
    output logic [         1:0] there_beat,
    output logic [LANES*24-1:0] digits
);
  // Of each segment, what it has left: the upper blocks of its last sum, the highest of the one
  // before, and a carry. Of its digits: the last was full, the last two, all that came.
  logic [64*24-1:0] middle;
  logic [64*16-1:0] highest, highest_before;
  logic [64*2-1:0] carry;
  logic [63:0] full, full_two, critical;

  // What segments carry besides: decided by those that carry one more than was thought, and by
  // those that would pass one on.
  logic [63:0] generates, more;
  logic [64:0] ahead;
  look_ahead #(
      .WIDTH(64)
  ) decide (
      .generates(generates),
      .critical(critical),
      .carry(1'b0),
      .carries(ahead)
  );
  // What the highest segment passes on is nothing.
  assign unsure = full_two[62:32] != '0 || (!exact && full_two[31:0] != '0);

  assign exceeds = {
    middle[24*63+:24], highest[16*63+:16], highest_before[16*63+:16], carry[2*63+:2]
  } != '0;

  // First cycle: a lane's block of 26 bits. Second: with the carry.
  logic taken;
  logic [1:0] taken_beat;
  logic [LANES*26-1:0] blocks, totals;

  always_ff @(posedge clock) begin
    if (enable) begin
      taken <= take;
      taken_beat <= beat;
      there <= taken;
      there_beat <= taken_beat;
    end
  end

  for (genvar i = 0; i < LANES; i++) begin : g_lanes
    // Its segments at the beats, as `position` has them.
    localparam int S0 = LANES == 16 ? i / 4 * 16 + i % 4
        : LANES == 32 ? i / 8 * 16 + i / 2 % 2 * 4 + i / 4 % 2 * 2 + i % 2 : i;
    localparam int S1 = LANES == 16 ? S0 + 4 : LANES == 32 ? S0 + 8 : S0;
    localparam int S2 = LANES == 16 ? S0 + 8 : S0;
    localparam int S3 = LANES == 16 ? S0 + 12 : S1;

    logic [23:0] its_middle;
    logic [15:0] its_highest;
    logic [ 1:0] its_carry;
    assign its_middle = beat[1] ? (beat[0] ? middle[24*S3+:24] : middle[24*S2+:24])
        : beat[0] ? middle[24*S1+:24] : middle[24*S0+:24];
    assign its_highest = beat[1]
        ? (beat[0] ? highest_before[16*S3+:16] : highest_before[16*S2+:16])
        : beat[0] ? highest_before[16*S1+:16] : highest_before[16*S0+:16];
    assign its_carry = taken_beat[1] ? (taken_beat[0] ? carry[2*S3+:2] : carry[2*S2+:2])
        : taken_beat[0] ? carry[2*S1+:2] : carry[2*S0+:2];
    assign totals[26*i+:26] = blocks[26*i+:26] + {24'b0, its_carry};

    always_ff @(posedge clock) begin
      if (enable && take) begin
        blocks[26*i+:26] <= {2'b0, sums[64*i+:24]} + {2'b0, its_middle} + {10'b0, its_highest}
            + {2'b0, added[24*i+:24]};
      end
      if (enable && taken) digits[24*i+:24] <= totals[26*i+:24];
    end
  end

  for (genvar n = 0; n < 64; n++) begin : g_segments
    // Where the segment's sums come.
    localparam int LANE = LANES == 16 ? n / 16 * 4 + n % 4
        : LANES == 32 ? n / 16 * 8 + n / 2 % 2 * 4 + n / 4 % 2 * 2 + n % 2 : n;
    localparam int BEAT = LANES == 16 ? n / 4 % 4 : LANES == 32 ? n / 8 % 2 : 0;

    // What was thought that it carries.
    logic [1:0] thought;
    logic takes, has_taken, is_full;
    assign takes = take && beat == 2'(BEAT);
    assign has_taken = taken && taken_beat == 2'(BEAT);
    assign is_full = &totals[26*LANE+:24];

    assign generates[n] = carry[2*n+:2] != thought;
    if (n < 32) begin : g_more
      assign more[n] = estimate ? exact && full_two[n] : critical[n] && ahead[n];
    end else begin : g_more
      assign more[n] = !estimate && critical[n] && ahead[n];
    end

    // What the segment below leaves.
    logic [23:0] middle_below;
    logic [15:0] highest_below, before_below;
    logic [1:0] carry_below;
    if (n == 0) begin : g_below
      assign middle_below  = '0;
      assign highest_below = '0;
      assign before_below  = '0;
      assign carry_below   = '0;
    end else begin : g_below
      assign middle_below  = middle[24*(n-1)+:24];
      assign highest_below = highest[16*(n-1)+:16];
      assign before_below  = highest_before[16*(n-1)+:16];
      assign carry_below   = carry[2*(n-1)+:2] + {1'b0, more[n-1]};
    end

    always_ff @(posedge clock) begin
      if (enable) begin
        if (clear) begin
          middle[24*n+:24] <= '0;
          highest[16*n+:16] <= '0;
          highest_before[16*n+:16] <= '0;
          carry[2*n+:2] <= '0;
        end else if (pass_on) begin
          middle[24*n+:24] <= middle_below;
          highest[16*n+:16] <= highest_below;
          highest_before[16*n+:16] <= before_below;
          carry[2*n+:2] <= carry_below;
          if (estimate) thought <= carry[2*n+:2] + {1'b0, more[n]};
        end else begin
          if (takes) begin
            middle[24*n+:24] <= sums[64*LANE+24+:24];
            highest[16*n+:16] <= sums[64*LANE+48+:16];
            highest_before[16*n+:16] <= highest[16*n+:16];
          end
          if (has_taken) carry[2*n+:2] <= totals[26*LANE+24+:2];
        end
        if (start) begin
          full[n] <= 1'b0;
          full_two[n] <= 1'b0;
          critical[n] <= 1'b1;
        end else if (has_taken) begin
          full[n] <= is_full;
          full_two[n] <= is_full && full[n];
          critical[n] <= is_full && critical[n];
        end
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, full_two[63], more[63], ahead[64]};
endmodule
