// Products of numbers of 786,432 bits in three stages of 64, 64 and 16 points: LANES (16, 32 or 64)
// samples a cycle in each of two processors.
//
// An operand comes as 1,024 rows of 32 digits of 24 bits, a product leaves as 1,024 rows of 64: digit
// n of row t is digit t + 1024 n of the number. The first stage works on rows as they come and the
// last gives rows as they leave. While no row comes, none is worked on; while none is taken,
// everything stands still.
//
// A modular product is Montgomery's, of three products one after the other,
//   t = a b,  m = (t mod 2^786432) n' mod 2^786432,  (t + m n) / 2^786432,
// with the kept spectra of n' = -1/n modulo 2^786432 (slot 0) and n (slot 1). It is below 2 n if a and
// b are, and n below 2^786430. Rows of digits go from the last stage of a product right into the
// first of the next, which is the other processor's.
module engine #(
    parameter int LANES = 16,
    localparam int COUNT = 16 - $clog2(LANES),
    localparam int BEATS = 64 / LANES
) (
    input  logic             clock,
    input  logic             reset,
    // See below; KEEP and KEPT take a slot, of two.
    input  logic             command_valid,
    output logic             command_ready,
    input  logic [      2:0] command,
    input  logic             slot,
    // Rows of the operands; the second is not looked at where a command has one or none.
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [32*24-1:0] in_a,
    input  logic [32*24-1:0] in_b,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [64*24-1:0] out_digits,
    // The last modular product is none: its lower half was not zero, and the slots do not belong
    // together, or it has more digits than there are, and n or an operand is too large.
    output logic             wrong,
    // What is being done: the product of a command, the stage, and in the last stage whether carries
    // are estimated (0), decided (1) or given (2).
    output logic [      1:0] round,
    output logic [      2:0] stage,
    output logic [      1:0] pass
);
  localparam logic [2:0] MULTIPLY = 3'd0;  // a b
  localparam logic [2:0] SQUARE = 3'd1;  // a a
  localparam logic [2:0] KEEP = 3'd2;  // the spectrum of a, in a slot
  localparam logic [2:0] KEPT = 3'd3;  // a times what a slot keeps
  localparam logic [2:0] BOTH_KEPT = 3'd4;  // what both slots keep, multiplied
  localparam logic [2:0] MODULAR = 3'd5;  // a b, modular
  localparam logic [2:0] MODULAR_SQUARE = 3'd6;  // a a, modular

  localparam logic [2:0] FIRST = 3'd0;
  localparam logic [2:0] LAST_FORWARD = 3'd2;
  localparam logic [2:0] LAST = 3'd5;

  localparam logic [1:0] ESTIMATE = 2'd0;
  localparam logic [1:0] DECIDE = 2'd1;
  localparam logic [1:0] GIVE = 2'd2;

  typedef enum logic [2:0] {
    IDLE,
    GO,
    WAIT,
    PASS,
    FINISH
  } state_t;
  state_t state;
  logic [2:0] asked;
  logic asked_slot;

  logic modular, both, squares, last_round, gives, links, estimates, enable, starts, quiet, unsure,
      exceeds;
  logic leader;
  assign modular = asked == MODULAR || asked == MODULAR_SQUARE;
  assign both = asked == MULTIPLY || asked == MODULAR;
  assign squares = asked == SQUARE || asked == MODULAR_SQUARE;
  assign last_round = !modular || round == 2'd2;
  assign leader = round[0];
  // The last stage gives digits, to the other processor unless it is the last product's.
  assign gives = stage == LAST && pass == GIVE;
  assign links = gives && !last_round;
  assign estimates = stage == LAST && pass == ESTIMATE;
  assign starts = state == GO;
  assign command_ready = state == IDLE;

  logic row_valid, row_full, row_taken;
  always_ff @(posedge clock) begin
    if (reset) begin
      state <= IDLE;
      round <= '0;
      stage <= '0;
      pass  <= ESTIMATE;
    end else if (enable) begin
      unique case (state)
        IDLE: begin
          if (command_valid) begin
            asked <= command;
            asked_slot <= slot;
            round <= '0;
            stage <= command == BOTH_KEPT ? LAST_FORWARD : FIRST;
            state <= command == 3'd7 ? IDLE : GO;
          end
        end
        GO: state <= WAIT;
        WAIT: begin
          if (quiet) begin
            if (stage != LAST) begin
              stage <= stage + 3'd1;
              pass  <= ESTIMATE;
              state <= stage == LAST_FORWARD && asked == KEEP ? IDLE : GO;
            end else if (pass != GIVE) begin
              state <= PASS;
            end else if (!last_round) begin
              round <= round + 2'd1;
              stage <= 3'd1;
              state <= GO;
            end else begin
              state <= FINISH;
            end
          end
        end
        PASS: begin
          pass  <= pass == ESTIMATE && unsure ? DECIDE : GIVE;
          state <= GO;
        end
        default: if (!row_valid) state <= IDLE;
      endcase
    end
  end

  // The processors. Where one leads, the other takes its digits in the last stage, or the second
  // operand in the first product.
  logic busy_first, busy_second, taken_first, taken_second;
  logic soon_first, soon_second, there_first, there_second;
  logic [COUNT-1:0] soon_count_first, soon_count_second, count_first, count_second;
  logic [LANES*64-1:0] results_first, results_second, kept_0, kept_1, kept_data;
  logic joins, with_kept;
  logic [64*24-1:0] row;

  assign joins = stage == LAST ? links : both && round == 2'd0 && stage <= LAST_FORWARD;
  assign with_kept = round != 2'd0 || asked == KEPT || asked == BOTH_KEPT;
  assign quiet = !busy_first && !busy_second;

  transformer #(
      .LANES(LANES)
  ) first (
      .clock(clock),
      .reset(reset),
      .enable(enable),
      .start(starts && (!leader || joins)),
      .stage(leader && stage == LAST ? FIRST : stage),
      .from(!leader && estimates ? COUNT'(1020 * BEATS) : '0),
      .shows(stage == LAST ? !leader : stage == LAST_FORWARD && asked == KEEP),
      .row_there(stage == LAST ? row_valid : in_valid),
      .row(stage == LAST ? row[0+:32*24] : in_a),
        .row_taken(taken_first),
      .component(stage == LAST_FORWARD),
      .others(with_kept ? kept_data : squares ? results_first : results_second),
      .substitute(stage == LAST_FORWARD && round == 2'd0 && asked == BOTH_KEPT),
      .substitutes(kept_1),
      .soon(soon_first),
      .soon_count(soon_count_first),
      .there(there_first),
      .count(count_first),
      .results(results_first),
      .busy(busy_first)
  );

  transformer #(
      .LANES(LANES)
  ) second (
      .clock(clock),
      .reset(reset),
      .enable(enable),
      .start(starts && (leader || joins)),
      .stage(!leader && stage == LAST ? FIRST : stage),
      .from(leader && estimates ? COUNT'(1020 * BEATS) : '0),
      .shows(stage == LAST ? leader : stage == LAST_FORWARD && !leader),
      .row_there(stage == LAST ? row_valid : in_valid),
      .row(stage == LAST ? row[0+:32*24] : in_b),
        .row_taken(taken_second),
      .component(stage == LAST_FORWARD),
      .others(kept_data),
      .substitute(1'b0),
      .substitutes({LANES * 64{1'b0}}),
      .soon(soon_second),
      .soon_count(soon_count_second),
      .there(there_second),
      .count(count_second),
      .results(results_second),
      .busy(busy_second)
  );

  // The leader's.
  logic soon, there;
  logic [COUNT-1:0] soon_count, count;
  logic [LANES*64-1:0] results;
  assign soon = leader ? soon_second : soon_first;
  assign soon_count = leader ? soon_count_second : soon_count_first;
  assign there = leader ? there_second : there_first;
  assign count = leader ? count_second : count_first;
  assign results = leader ? results_second : results_first;

  assign in_ready = (taken_first || taken_second) && stage != LAST;

  // Kept spectra: as they leave the first processor, in the order of beats.
  logic keeps;
  assign keeps = there && stage == LAST_FORWARD && asked == KEEP;
  single_port #(
      .ADDRESS(COUNT),
      .WIDTH  (LANES * 64)
  ) slot_0 (
      .clock(clock),
      .read(enable && soon && stage == LAST_FORWARD),
      .write(enable && keeps && !asked_slot),
      .address(asked == KEEP ? count : soon_count),
      .write_data(results),
      .read_data(kept_0)
  );
  single_port #(
      .ADDRESS(COUNT),
      .WIDTH  (LANES * 64)
  ) slot_1 (
      .clock(clock),
      .read(enable && soon && stage == LAST_FORWARD),
      .write(enable && keeps && asked_slot),
      .address(asked == KEEP ? count : soon_count),
      .write_data(results),
      .read_data(kept_1)
  );
  assign kept_data = (round == 2'd0 ? asked == KEPT && asked_slot : round[1]) ? kept_1 : kept_0;

  // Carries, and what the last of three products is added to: the digits of the first.
  logic digits_there, exact;
  logic [1:0] digits_beat;
  logic [LANES*24-1:0] digits, first_product;
  logic [COUNT-1:0] digits_count;
  assign exact = modular && round == 2'd2;
  delay #(
      .WIDTH (COUNT),
      .CYCLES(2)
  ) counted (
      .clock(clock),
      .enable(enable),
      .x(count),
      .y(digits_count)
  );
  single_port #(
      .ADDRESS(COUNT),
      .WIDTH  (LANES * 24)
  ) product_memory (
      .clock(clock),
      .read(enable && soon && exact),
      .write(enable && digits_there && gives && round == 2'd0),
      .address(exact ? soon_count : digits_count),
      .write_data(digits),
      .read_data(first_product)
  );
  carries #(
      .LANES(LANES)
  ) resolver (
      .clock(clock),
      .enable(enable),
      .clear(starts && estimates),
      .start(starts && stage == LAST),
      .pass_on(state == PASS),
      .estimate(pass == ESTIMATE),
      .exact(exact),
      .take(stage == LAST && there),
      .beat(2'(count & COUNT'(BEATS - 1))),
      .sums(results),
      .added(exact ? first_product : {LANES * 24{1'b0}}),
      .unsure(unsure),
      .exceeds(exceeds),
      .there(digits_there),
      .there_beat(digits_beat),
      .digits(digits)
  );

  // Rows, to the other processor or to the outside.
  assign row_taken = links ? (leader ? taken_first : taken_second) : out_ready;
  rows #(
      .LANES(LANES)
  ) collect (
      .clock(clock),
      .reset(reset),
      .enable(enable),
      .there(gives && digits_there),
      .beat(digits_beat),
      .digits(digits),
      .taken(row_taken),
      .full(row_full),
      .valid(row_valid),
      .row(row)
  );
  assign out_valid = row_valid && last_round;
  assign out_digits = modular ? {{32 * 24{1'b0}}, row[32*24+:32*24]} : row;
  assign enable = !row_full;

  always_ff @(posedge clock) begin
    if (reset || state == IDLE) begin
      if (reset || command_valid) wrong <= 1'b0;
    end else if (exact) begin
      if (row_valid && row[0+:32*24] != '0) wrong <= 1'b1;
      if (state == FINISH && exceeds) wrong <= 1'b1;
    end
  end
endmodule
