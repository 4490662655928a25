// The paper's multiplier of numbers of 786,432 bits: two processors transform the factors side by
// side, the last stage of the first is multiplied by the second's, the first transforms back, and
// carries are resolved while the product leaves.
//
// Factors come as 4,096 rows of sixteen digits of 24 bits each, both at once, the lowest digit
// first; their upper halves must be zero. The product leaves in the same form. Either side may
// pause at any time.
module multiplier (
    input  logic             clock,
    input  logic             reset,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [16*24-1:0] in_a,
    input  logic [16*24-1:0] in_b,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [16*24-1:0] out_digits,
    // Which of the eight stages runs, 0 to 7, 8 while factors are loaded, 9 while the product
    // leaves.
    output logic [      3:0] phase
`ifdef FORMAL
    ,
    // What formal/flow.sv speaks of.
    output logic [     12:0] seen_count,
    output logic [      2:0] seen_leaving
`endif
);
  localparam logic [3:0] LOAD = 4'd8;
  localparam logic [3:0] UNLOAD = 4'd9;
  localparam logic [3:0] LAST_FORWARD = 4'd3;
  localparam logic [3:0] LAST = 4'd7;

  // Groups that were handed out, or rows.
  logic [12:0] count;
  logic all;
  assign all = count[12];

  logic loads, reads, transforms, inverse, idle, idle_second;
  logic [1:0] digit;
  // Rows of the product on their way: read, in words, in digits.
  logic [2:0] leaving;
  logic moves;

  assign in_ready = phase == LOAD;
  assign loads = in_ready && in_valid;
  assign transforms = !phase[3];
  assign inverse = phase[2];
  // Forward from the highest digit down, inverse from the lowest up, rows by the lowest.
  assign digit = phase[3] ? 2'd0 : inverse ? phase[1:0] : 2'd3 - phase[1:0];
  assign moves = phase == UNLOAD && (!leaving[2] || out_ready);
  assign reads = (transforms && !all) || moves;
  assign out_valid = leaving[2];

  always_ff @(posedge clock) begin
    if (reset) begin
      phase <= LOAD;
      count <= '0;
      leaving <= '0;
    end else begin
      unique case (phase)
        LOAD: begin
          if (loads) begin
            count <= count == 13'd4095 ? '0 : count + 13'd1;
            if (count == 13'd4095) phase <= '0;
          end
        end
        UNLOAD: begin
          if (moves) begin
            leaving <= {leaving[1:0], !all};
            if (!all) count <= count + 13'd1;
            if (all && leaving[1:0] == '0) begin
              phase <= LOAD;
              count <= '0;
            end
          end
        end
        default: begin
          if (!all) count <= count + 13'd1;
          else if (idle && idle_second) begin
            count <= '0;
            phase <= phase == LAST ? UNLOAD : phase + 4'd1;
          end
        end
      endcase
    end
  end

  logic [16*64-1:0] sums, lanes_second, results, results_second;

  processor first (
      .clock(clock),
      .reset(reset),
      .load(loads),
      .load_row(count[11:0]),
      .load_samples(in_a),
      .read(reads),
      .transform(transforms),
      .inverse(inverse),
      .digit(digit),
      .group(count[11:0]),
      .lanes(sums),
      .component(phase == LAST_FORWARD),
      .others(results_second),
      .results(results),
      .idle(idle)
  );

  processor second (
      .clock(clock),
      .reset(reset),
      .load(loads),
      .load_row(count[11:0]),
      .load_samples(in_b),
      .read(reads && transforms && !inverse),
      .transform(1'b1),
      .inverse(1'b0),
      .digit(digit),
      .group(count[11:0]),
      .lanes(lanes_second),
      .component(1'b0),
      .others({16 * 64{1'b0}}),
      .results(results_second),
      .idle(idle_second)
  );

  carry_unit resolver (
      .clock(clock),
      .clear(phase == LAST),
      .take(moves && leaving[0]),
      .give(moves && leaving[1]),
      .sums(sums),
      .digits(out_digits)
  );

`ifdef FORMAL
  assign seen_count = count;
  assign seen_leaving = leaving;
`endif

  logic unused;
  assign unused = &{1'b0, lanes_second, results};
endmodule
