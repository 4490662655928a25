// A row that is offered stays, whole, until it is taken; what comes is neither lost nor doubled, and
// leaves in its order. The circuit before it stands still where it must (`full`), and whenever else it
// likes. A digit is one bit here.
module prove_rows #(
    parameter int LANES = 16,
    localparam int BEATS = 64 / LANES
) (
    input logic             clock,
    input logic             reset,
    input logic             pauses,
    input logic             there,
    input logic [LANES-1:0] digits,
    input logic             taken
);
  logic enable, full, valid;
  logic [1:0] beat = '0;
  logic [63:0] row, earlier, seen_behind;
  assign enable = !full && !pauses;

  rows #(
      .LANES(LANES),
      .DIGIT(1)
  ) unit (
      .clock(clock),
      .reset(reset),
      .enable(enable),
      .there(there),
      .beat(beat),
      .digits(digits),
      .taken(taken),
      .full(full),
      .valid(valid),
      .row(row),
      .seen_earlier(earlier),
      .seen_behind(seen_behind)
  );

  // One digit of a row, any: its beat and lane, what came last, and what a whole row has of it.
  (* anyconst *) logic [5:0] digit;
  logic [1:0] its_beat;
  logic [5:0] its_lane;
  assign its_beat = LANES == 16 ? digit[3:2] : LANES == 32 ? {1'b0, digit[3]} : 2'd0;
  assign its_lane = LANES == 16 ? {2'b0, digit[5:4], digit[1:0]}
      : LANES == 32 ? {1'b0, digit[5:4], digit[1], digit[2], digit[0]} : digit;

  logic started = 1'b0;
  logic offered = 1'b0;
  // The two rows that came last: of the later one, and of the one before.
  logic it, offered_it, came, later, before;
  assign it = row[digit];
  // Rows that came whole, less rows that were taken.
  logic [1:0] waiting = '0;

  always_ff @(posedge clock) begin
    started <= 1'b1;
    offered <= !reset && valid && !taken;
    offered_it <= it;
    if (reset) begin
      beat <= '0;
      waiting <= '0;
    end else begin
      if (enable && there) beat <= beat == 2'(BEATS - 1) ? 2'd0 : beat + 2'd1;
      waiting <= waiting + {1'b0, enable && there && beat == 2'(BEATS - 1)}
          - {1'b0, valid && taken};
    end
    if (enable && there) begin
      if (beat == its_beat) came <= digits[its_lane];
      if (beat == 2'(BEATS - 1)) begin
        later  <= beat == its_beat ? digits[its_lane] : came;
        before <= later;
      end
    end

    if (!started) assume (reset);
    else begin
      assert (beat <= 2'(BEATS - 1));
      // It stands still only where it must: two rows wait.
      assert (waiting <= 2'd2);
      assert (full == (waiting == 2'd2));
      assert (valid == (waiting != 2'd0));
      if (offered) assert (valid && it == offered_it);
      if (beat > its_beat) assert (earlier[digit] == came);
      if (valid) assert (it == (full ? before : later));
      if (full) assert (seen_behind[digit] == later);
    end
  end
endmodule
