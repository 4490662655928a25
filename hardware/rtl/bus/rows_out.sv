// Beats of a stream from the rows of a product, lowest bits first; TLAST with the last beat of row
// 1,023. A row of a modular product is only half as long.
//
// The engine's row stays until it is taken, with its last beat; so there is no copy of it here.
// Beats go through two registers: nothing that the receiver does reaches the engine in the same
// cycle, and what is offered stays.
//
// After a restart in the middle of a packet the beats that are under way still leave, and a last
// one with zeros and TLAST ends the packet.
module rows_out #(
    parameter int STREAM = 256,
    localparam int ROW = 64 * 24,
    localparam int BEATS = ROW / STREAM,
    localparam int COUNT = $clog2(BEATS)
) (
    input  logic              clock,
    input  logic              reset,
    // The product is forgotten.
    input  logic              restart,
    // Rows are half as long; it stays for a product.
    input  logic              half,
    input  logic              valid,
    output logic              taken,
    input  logic [   ROW-1:0] row,
    output logic [STREAM-1:0] beat_data,
    output logic              beat_last,
    output logic              beat_valid,
    input  logic              beat_ready,
    // Nothing is under way.
    output logic              empty
);
  // What comes next; `open`: a packet has begun, and `closing`: it has to be ended.
  logic [9:0] count;
  logic [COUNT-1:0] beat;
  logic open, closing;

  logic room, row_ends, all_ends, there;
  assign row_ends = beat == (half ? COUNT'(BEATS / 2 - 1) : COUNT'(BEATS - 1));
  assign all_ends = row_ends && count == 10'd1023;
  assign there = valid && !closing;
  assign taken = room && row_ends && !closing;
  assign empty = !beat_valid && !closing;

  always_ff @(posedge clock) begin
    if (reset || restart) begin
      count <= '0;
      beat <= '0;
      open <= 1'b0;
      closing <= !reset && (open || (closing && !room));
    end else if (room) begin
      closing <= 1'b0;
      if (there) begin
        beat <= row_ends ? '0 : beat + COUNT'(1);
        if (row_ends) count <= count + 10'd1;
        open <= !all_ends;
      end
    end
  end

  two_beats #(
      .WIDTH(STREAM + 1)
  ) leaving (
      .clock(clock),
      .reset(reset),
      .in_valid(closing || (there && !restart)),
      .in_ready(room),
      .in({closing || all_ends, closing ? {STREAM{1'b0}} : row[STREAM*beat+:STREAM]}),
      .out_valid(beat_valid),
      .out_ready(beat_ready),
      .out({beat_last, beat_data})
  );
endmodule
