// The circuit's two sides keep the rules of ready and valid, whatever the processors do: what is
// offered stays until it is taken, and rows are counted right.
module prove_flow (
    input logic clock,
    input logic reset,
    input logic in_valid,
    input logic out_ready
);
  logic in_ready, out_valid;
  logic [16*24-1:0] out_digits;
  logic [3:0] phase;
  logic [12:0] count;
  logic [2:0] leaving;

  multiplier unit (
      .clock(clock),
      .reset(reset),
      .in_valid(in_valid),
      .in_ready(in_ready),
      .in_a('0),
      .in_b('0),
      .out_valid(out_valid),
      .out_ready(out_ready),
      .out_digits(out_digits),
      .phase(phase),
      .seen_count(count),
      .seen_leaving(leaving)
  );

  logic started = 1'b0;
  logic waiting = 1'b0;
  logic [16*24-1:0] offered;
  // Rows that were taken since the last reset or product, and given.
  logic [12:0] taken, given;

  always_ff @(posedge clock) begin
    started <= 1'b1;
    waiting <= !reset && out_valid && !out_ready;
    offered <= out_digits;
    if (reset || phase < 4'd8) given <= '0;
    else if (out_valid && out_ready) given <= given + 13'd1;
    if (reset || phase == 4'd9) taken <= '0;
    else if (in_valid && in_ready) taken <= taken + 13'd1;

    if (!started) assume (reset);
    else begin
      assert (phase <= 4'd9);
      if (waiting) assert (out_valid && out_digits == offered);
      assert (!out_valid || phase == 4'd9);
      assert (in_ready == (phase == 4'd8));
      // All rows come in before anything is transformed, and no more go out than came in.
      if (phase < 4'd8) assert (taken == 13'd4096);
      if (phase == 4'd8) assert (count == taken && taken < 13'd4096);
      if (phase == 4'd9) begin
        assert (count <= 13'd4096);
        assert (given + {12'b0, leaving[0]} + {12'b0, leaving[1]}
            + {12'b0, leaving[2]} == count);
      end
      if (phase < 4'd9) assert (leaving == '0 && count <= 13'd4096);
    end
  end
endmodule

// A processor that may be idle or not at any time.
module processor (
    input  logic             clock,
    input  logic             reset,
    input  logic             load,
    input  logic [     11:0] load_row,
    input  logic [16*24-1:0] load_samples,
    input  logic             read,
    input  logic             transform,
    input  logic             inverse,
    input  logic [      1:0] digit,
    input  logic [     11:0] group,
    output logic [16*64-1:0] lanes,
    input  logic             component,
    input  logic [16*64-1:0] others,
    output logic [16*64-1:0] results,
    output logic             idle
);
  (* anyseq *) logic any_idle;
  assign lanes = '0;
  assign results = '0;
  assign idle = any_idle;
endmodule

// Carries that may be any: digits are given when they are asked for, and stay.
module carry_unit (
    input  logic             clock,
    input  logic             clear,
    input  logic             take,
    input  logic             give,
    input  logic [16*64-1:0] sums,
    output logic [16*24-1:0] digits
);
  (* anyseq *) logic [16*24-1:0] next;
  always_ff @(posedge clock) if (give) digits <= next;
endmodule
