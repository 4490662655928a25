// Rows of operands from the beats of a stream, lowest bits first: row 0 of a, of two operands row 0
// of b, row 1 of a, and so on to row 1,023.
//
//   beats      a a a b b b a a a b b b      (STREAM = 256, two operands)
//   rows                   0           1    offered from here on, while the next are put together
//
// Rows are offered until they are taken, and the last beat of the next ones waits for that. All
// other beats are taken at once, so that a stream of two operands comes without a pause if the
// engine takes rows within six cycles.
//
// TLAST belongs to the last beat of the last row, and to no other. If it comes early, zeros are put
// in the place of all that is missing. If it does not come, what comes is discarded up to it; of
// the next command's operands nothing is taken before.
module rows_in #(
    parameter int STREAM = 256,
    localparam int ROW = 32 * 24,
    localparam int BEATS = ROW / STREAM,
    localparam int COUNT = $clog2(BEATS)
) (
    input  logic              clock,
    input  logic              reset,
    // Everything is forgotten. The rest of a packet of which something was taken is discarded, too,
    // if `discards`.
    input  logic              restart,
    input  logic              discards,
    // Rows are wanted, from the next cycle on: of two operands if `both`, which stays. Not while
    // rows of an earlier command are wanted.
    input  logic              start,
    input  logic              both,
    input  logic [STREAM-1:0] beat_data,
    input  logic              beat_last,
    input  logic              beat_valid,
    output logic              beat_ready,
    output logic              valid,
    input  logic              taken,
    output logic [   ROW-1:0] a,
    output logic [   ROW-1:0] b,
    // Rows are still wanted; a packet is being discarded.
    output logic              wants,
    output logic              discarding,
    // TLAST comes early, or not with the last row: in one cycle of a packet.
    output logic              short_packet,
    output logic              long_packet
);
  // Where the next beat goes; `padding`: it is zeros, and `open`: the last beat was not its
  // packet's last.
  logic [9:0] row;
  logic second, padding, open;
  logic [COUNT-1:0] beat;

  logic last_beat, pair_ends, all_ends, wanted, there, passes;
  assign last_beat = beat == COUNT'(BEATS - 1);
  assign pair_ends = last_beat && (second || !both);
  assign all_ends = pair_ends && row == 10'd1023;
  assign wanted = wants && !discarding && (!pair_ends || !valid || taken);
  assign there = wanted && (padding || beat_valid);
  assign beat_ready = discarding || (wanted && !padding);
  assign passes = beat_valid && beat_ready;
  assign short_packet = there && !padding && beat_last && !all_ends;
  assign long_packet = there && !padding && !beat_last && all_ends;

  always_ff @(posedge clock) begin
    if (reset || restart) begin
      wants <= 1'b0;
      valid <= 1'b0;
      row <= '0;
      second <= 1'b0;
      beat <= '0;
      padding <= 1'b0;
      open <= !reset && discards && (passes ? !beat_last : open);
      discarding <= !reset && discards && (passes ? !beat_last : open);
    end else begin
      if (passes) open <= !beat_last;
      if (start) wants <= 1'b1;
      else if (there && all_ends) wants <= 1'b0;
      if (there && pair_ends) valid <= 1'b1;
      else if (taken) valid <= 1'b0;
      if (there) begin
        beat <= last_beat ? '0 : beat + COUNT'(1);
        if (last_beat) second <= both && !second;
        if (pair_ends) row <= row + 10'd1;
      end
      if (there && all_ends) padding <= 1'b0;
      else if (short_packet) padding <= 1'b1;
      if (long_packet) discarding <= 1'b1;
      else if (passes && beat_last) discarding <= 1'b0;
    end
  end

  // Beats are shifted in from above. Of b the first is never shifted out, for with the last one its
  // row is offered.
  logic [STREAM-1:0] data;
  logic [ROW-1:0] a_parts, a_now, b_now;
  logic [ROW-STREAM-1:0] b_parts;
  assign data = padding ? {STREAM{1'b0}} : beat_data;
  assign a_now = {data, a_parts[ROW-1:STREAM]};
  assign b_now = {data, b_parts};
  always_ff @(posedge clock) begin
    if (there && !second) a_parts <= a_now;
    if (there && second) b_parts <= b_now[ROW-1:STREAM];
    if (there && pair_ends) begin
      a <= both ? a_parts : a_now;
      b <= b_now;
    end
  end
endmodule
