// Carries of SEGMENTS side by side: position j + 1024 n is digit j of segment n. A beat brings the
// sums of LANES segments, in the lanes that `position` writes; a segment's sums come from the lowest
// up, and its digits leave two cycles later.
//
// First cycle: where the blocks of DIGIT bits of three sums meet, they are added, and a digit of what
// is added besides. Second cycle: what the segment has carried, 3 at most, is added, and the rest
// above DIGIT bits is carried on. What is left when a segment ends belongs to the next one; `pass_on`
// moves it there.
//
// Which carries a segment begins with is so known only when all have ended. So the last four sums
// of each come first, from nothing (`estimate`). What they leave is right, or one too little: sums
// that were left out can only matter if the last two digits are full. Where such digits are found
// (`unsure`), all sums come once without leaving; which segments carried one more than thought
// (`generates`) and which would pass another one on (`critical`) decides all carries at once, and
// then sums come again.
//
// If `exact`, the lower half of the segments is known to be zero: full digits there are such that
// lack one.
module carries #(
    parameter int LANES = 16,
    parameter int SEGMENTS = 64,
    // Bits of a digit, and what a sum has beyond two digits.
    parameter int DIGIT = 24,
    parameter int REST = 16,
    localparam int SUM = 2 * DIGIT + REST
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
    input  logic [LANES*SUM-1:0] sums,
    input  logic [LANES*DIGIT-1:0] added,
    output logic                unsure,
    // The highest segment has something left: the sum has more digits than there are.
    output logic                exceeds,
    output logic                there,
    output logic [         1:0] there_beat,
    output logic [LANES*DIGIT-1:0] digits
);
  localparam int TOP = SEGMENTS - 1;
  localparam int WIDE = DIGIT + 2;

  // Of each segment, what it has left: the upper blocks of its last sum, the highest of the one
  // before, and a carry. Of its digits: the last was full, the last two, all that came.
  logic [SEGMENTS*DIGIT-1:0] middle;
  logic [SEGMENTS*REST-1:0] highest, highest_before;
  logic [SEGMENTS*2-1:0] carry;
  logic [SEGMENTS-1:0] full, full_two, critical;

  // What segments carry besides: decided by those that carry one more than was thought, and by
  // those that would pass one on.
  logic [SEGMENTS-1:0] generates, more;
  logic [SEGMENTS:0] ahead;
  look_ahead #(
      .WIDTH(SEGMENTS)
  ) decide (
      .generates(generates),
      .critical(critical),
      .carry(1'b0),
      .carries(ahead)
  );
  // What the highest segment passes on is nothing.
  assign unsure = full_two[SEGMENTS-2:SEGMENTS/2] != '0 || (!exact && full_two[SEGMENTS/2-1:0] != '0);

  assign exceeds = {
    middle[DIGIT*TOP+:DIGIT], highest[REST*TOP+:REST], highest_before[REST*TOP+:REST], carry[2*TOP+:2]
  } != '0;

  // First cycle: a lane's block, of two bits more than a digit. Second: with the carry.
  logic taken;
  logic [1:0] taken_beat;
  logic [LANES*WIDE-1:0] blocks, totals;

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

    logic [DIGIT-1:0] its_middle;
    logic [REST-1:0] its_highest;
    logic [1:0] its_carry;
    assign its_middle = beat[1] ? (beat[0] ? middle[DIGIT*S3+:DIGIT] : middle[DIGIT*S2+:DIGIT])
        : beat[0] ? middle[DIGIT*S1+:DIGIT] : middle[DIGIT*S0+:DIGIT];
    assign its_highest = beat[1]
        ? (beat[0] ? highest_before[REST*S3+:REST] : highest_before[REST*S2+:REST])
        : beat[0] ? highest_before[REST*S1+:REST] : highest_before[REST*S0+:REST];
    assign its_carry = taken_beat[1] ? (taken_beat[0] ? carry[2*S3+:2] : carry[2*S2+:2])
        : taken_beat[0] ? carry[2*S1+:2] : carry[2*S0+:2];
    assign totals[WIDE*i+:WIDE] = blocks[WIDE*i+:WIDE] + WIDE'(its_carry);

    always_ff @(posedge clock) begin
      if (enable && take) begin
        blocks[WIDE*i+:WIDE] <= WIDE'(sums[SUM*i+:DIGIT]) + WIDE'(its_middle) + WIDE'(its_highest)
            + WIDE'(added[DIGIT*i+:DIGIT]);
      end
      if (enable && taken) digits[DIGIT*i+:DIGIT] <= totals[WIDE*i+:DIGIT];
    end
  end

  for (genvar n = 0; n < SEGMENTS; n++) begin : g_segments
    // Where the segment's sums come.
    localparam int LANE = LANES == 16 ? n / 16 * 4 + n % 4
        : LANES == 32 ? n / 16 * 8 + n / 2 % 2 * 4 + n / 4 % 2 * 2 + n % 2 : n;
    localparam int BEAT = LANES == 16 ? n / 4 % 4 : LANES == 32 ? n / 8 % 2 : 0;

    // What was thought that it carries.
    logic [1:0] thought;
    logic takes, has_taken, is_full;
    assign takes = take && beat == 2'(BEAT);
    assign has_taken = taken && taken_beat == 2'(BEAT);
    assign is_full = &totals[WIDE*LANE+:DIGIT];

    assign generates[n] = carry[2*n+:2] != thought;
    if (n < SEGMENTS / 2) begin : g_more
      assign more[n] = estimate ? exact && full_two[n] : critical[n] && ahead[n];
    end else begin : g_more
      assign more[n] = !estimate && critical[n] && ahead[n];
    end

    // What the segment below leaves.
    logic [DIGIT-1:0] middle_below;
    logic [REST-1:0] highest_below, before_below;
    logic [1:0] carry_below;
    if (n == 0) begin : g_below
      assign middle_below  = '0;
      assign highest_below = '0;
      assign before_below  = '0;
      assign carry_below   = '0;
    end else begin : g_below
      assign middle_below  = middle[DIGIT*(n-1)+:DIGIT];
      assign highest_below = highest[REST*(n-1)+:REST];
      assign before_below  = highest_before[REST*(n-1)+:REST];
      assign carry_below   = carry[2*(n-1)+:2] + {1'b0, more[n-1]};
    end

    always_ff @(posedge clock) begin
      if (enable) begin
        if (clear) begin
          middle[DIGIT*n+:DIGIT] <= '0;
          highest[REST*n+:REST] <= '0;
          highest_before[REST*n+:REST] <= '0;
          carry[2*n+:2] <= '0;
        end else if (pass_on) begin
          middle[DIGIT*n+:DIGIT] <= middle_below;
          highest[REST*n+:REST] <= highest_below;
          highest_before[REST*n+:REST] <= before_below;
          carry[2*n+:2] <= carry_below;
          if (estimate) thought <= carry[2*n+:2] + {1'b0, more[n]};
        end else begin
          if (takes) begin
            middle[DIGIT*n+:DIGIT] <= sums[SUM*LANE+DIGIT+:DIGIT];
            highest[REST*n+:REST] <= sums[SUM*LANE+2*DIGIT+:REST];
            highest_before[REST*n+:REST] <= highest[REST*n+:REST];
          end
          if (has_taken) carry[2*n+:2] <= totals[WIDE*LANE+DIGIT+:2];
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
  assign unused = &{1'b0, full_two[TOP], more[TOP], ahead[SEGMENTS]};
endmodule
