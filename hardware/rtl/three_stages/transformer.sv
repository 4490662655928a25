// A transform processor: LANES banks, and between their ports the unit of sixty-four points and LANES
// multipliers. A stage reads LANES samples a cycle, and writes as many in place.
//
//   cycle     0     1       2 .. 14          14 .. 19
//           issue  lanes   16 points        multiply, write        (the lowest digit)
//                           2 .. 20 + SWAP   20 + SWAP .. 25 + SWAP  (the others)
//
// The first stage takes samples from a row of 32 digits for each transform, those of the upper half
// being zero, and nothing from memory; where no row is there, as many beats pass as one takes.
// Results are shown before they are multiplied; with `shows` they are written nowhere.
module transformer #(
    parameter int LANES = 16,
    localparam int COUNT = 16 - $clog2(LANES),
    localparam int BEATS = 64 / LANES
) (
    input  logic                clock,
    input  logic                reset,
    input  logic                enable,
    // A stage begins in the next cycle, with the beat `from`; 0 to 2 forward, 3 to 5 back. What is
    // asked besides stays until it ends.
    input  logic                start,
    input  logic [         2:0] stage,
    input  logic [   COUNT-1:0] from,
    input  logic                shows,
    // For the first stage: a row is there, and stays until it is taken.
    input  logic                row_there,
    input  logic [   32*24-1:0] row,
    output logic                row_taken,
    // What results are multiplied by instead of roots of unity; and another first factor.
    input  logic                component,
    input  logic [LANES*64-1:0] others,
    input  logic                substitute,
    input  logic [LANES*64-1:0] substitutes,
    // Results, and the beat that they belong to; `soon` are those of the next cycle.
    output logic                soon,
    output logic [   COUNT-1:0] soon_count,
    output logic                there,
    output logic [   COUNT-1:0] count,
    output logic [LANES*64-1:0] results,
    // Something is under way.
    output logic                busy
);
  localparam int SWAP = BEATS - 1;
  localparam int NARROW = 14;
  localparam int WIDE = 20 + SWAP;
  localparam int DEPTH = WIDE + 5;

  // What a stage is, decided when it starts.
  logic inverse, narrow, from_rows, outer, inner;
  logic [1:0] digit;
  always_ff @(posedge clock) begin
    if (start) begin
      inverse <= stage >= 3'd3;
      narrow <= stage == 3'd2 || stage == 3'd3;
      from_rows <= stage == 3'd0;
      outer <= stage == 3'd0 || stage == 3'd4;
      inner <= stage == 3'd1 || stage == 3'd3;
      // Forward from the highest digit down, back from the lowest up.
      digit <= stage >= 3'd3 ? 2'(stage - 3'd3) : 2'(3'd2 - stage);
    end
  end

  // Beats are issued one after the other. A row is taken up at its first beat or not for as many
  // beats as it has, since the exchange of beats goes on; before the first row there is none.
  logic issuing, issued, begun, goes_on;
  logic [COUNT-1:0] next;
  logic [1:0] beat;
  assign issued = issuing && (!from_rows || (beat == 2'd0 ? row_there : goes_on));
  assign row_taken = issuing && from_rows && beat == 2'(BEATS - 1) && (BEATS == 1 || goes_on);
  if (BEATS == 1) begin : g_beat
    assign beat = 2'd0;
  end else begin : g_beat
    always_ff @(posedge clock) begin
      if (enable) begin
        if (start) beat <= 2'd0;
        else if (issued || begun) beat <= 2'($clog2(BEATS)'(beat + 2'd1));
      end
    end
  end
  always_ff @(posedge clock) begin
    if (enable) begin
      begun   <= !start && (begun || issued);
      goes_on <= issued;
    end
  end

  // What was issued so many cycles ago.
  logic [DEPTH:1] valid;
  logic [COUNT-1:0] counts[1:DEPTH];
  assign busy = issuing || valid != '0;

  always_ff @(posedge clock) begin
    if (reset) begin
      issuing <= 1'b0;
      valid   <= '0;
    end else if (enable) begin
      if (start) issuing <= 1'b1;
      else if (issued && next == '1) issuing <= 1'b0;
      valid <= {valid[DEPTH-1:1], issued};
      // Narrow stages have nothing beyond their multipliers.
      if (narrow) valid[DEPTH:NARROW+6] <= '0;
    end
    if (enable) begin
      if (start) next <= from;
      else if (issued) next <= next + COUNT'(1);
      counts[1] <= next;
      for (int d = 2; d <= DEPTH; d++) counts[d] <= counts[d-1];
    end
  end

  assign soon = narrow ? valid[NARROW-1] : valid[WIDE-1];
  assign soon_count = narrow ? counts[NARROW-1] : counts[WIDE-1];
  assign there = narrow ? valid[NARROW] : valid[WIDE];
  assign count = narrow ? counts[NARROW] : counts[WIDE];

  // Reading.
  logic [LANES*COUNT-1:0] read_address;
  logic [$clog2(LANES)-1:0] read_turn, turn;
  logic [LANES*64-1:0] read_data, lanes, points;
  logic [LANES/2*24-1:0] digits;

  places #(
      .LANES(LANES)
  ) reading (
      .digit(digit),
      .count(next),
      .turn(read_turn),
      .address(read_address)
  );

  exchange_lanes #(
      .LANES(LANES)
  ) from_banks (
      .by(turn),
      .x (read_data),
      .y (lanes)
  );

  always_ff @(posedge clock) if (enable) turn <= read_turn;

  // Digit j of the row is point j of the transform; half the lanes have points above 31.
  for (genvar i = 0; i < LANES / 2; i++) begin : g_digits
    logic [4:0] j;
    if (LANES == 16) begin : g_j
      assign j = {3'(i), beat};
    end else if (LANES == 32) begin : g_j
      assign j = {3'(i / 2), beat[0], 1'(i)};
    end else begin : g_j
      assign j = 5'(i);
    end
    always_ff @(posedge clock) if (enable) digits[24*i+:24] <= row[24*j+:24];
  end
  for (genvar i = 0; i < LANES; i++) begin : g_points
    logic [63:0] sample;
    if (i < LANES / 2) begin : g_half
      assign sample = {40'b0, digits[24*i+:24]};
    end else begin : g_half
      assign sample = '0;
    end
    always_ff @(posedge clock) begin
      if (enable) points[64*i+:64] <= from_rows ? sample : lanes[64*i+:64];
    end
  end

  // Twiddle factors: a turn four cycles before results leave, and a root of unity with them.
  logic [COUNT-1:0] turned_count;
  logic [LANES*6-1:0] turns;
  logic [LANES*64-1:0] factors;
  assign turned_count = narrow ? counts[NARROW-6] : counts[WIDE-6];
  for (genvar i = 0; i < LANES; i++) begin : g_twiddles
    logic [15:0] position_now, position, power;
    logic [9:0] root, root_late;
    position #(
        .LANES(LANES),
        .WRITTEN(1'b1)
    ) written (
        .digit(digit),
        .count(turned_count),
        .lane(($clog2(LANES))'(i)),
        .position(position_now)
    );
    exponent twiddle (
        .inverse(inverse),
        .outer(outer),
        .inner(inner),
        .position(position),
        .power(power)
    );
    always_ff @(posedge clock) begin
      if (enable) begin
        position <= position_now;
        turns[6*i+:6] <= power[15:10];
        root <= power[9:0];
      end
    end
    delay #(
        .WIDTH (10),
        .CYCLES(3)
    ) later (
        .clock(clock),
        .enable(enable),
        .x(root),
        .y(root_late)
    );
    roots factors_of_lane (
        .clock(clock),
        .enable(enable),
        .power(root_late),
        .factor(factors[64*i+:64])
    );
  end

  // The beat goes on after the last one, while the exchange of beats still holds some.
  logic [1:0] swap_beat, beat_after;
  assign swap_beat = valid[NARROW] ? 2'(counts[NARROW] & COUNT'(BEATS - 1)) : beat_after;
  always_ff @(posedge clock) if (enable) beat_after <= swap_beat + 2'd1;

  // The transform.
  logic [LANES*64-1:0] narrow_results, wide_results;
  radix_64 #(
      .LANES(LANES)
  ) unit (
      .clock(clock),
      .enable(enable),
      .inverse(inverse),
      .narrow(narrow),
      .scale(inverse),
      .turn_beat(2'(counts[NARROW-5] & COUNT'(BEATS - 1))),
      .swap_beat(swap_beat),
      .turns(turns),
      .x(points),
      .narrow_y(narrow_results),
      .y(wide_results)
  );
  assign results = narrow ? narrow_results : wide_results;

  logic [LANES*64-1:0] left, right, products;
  always_ff @(posedge clock) begin
    if (enable) begin
      left  <= substitute ? substitutes : results;
      right <= component ? others : factors;
    end
  end
  for (genvar i = 0; i < LANES; i++) begin : g_multipliers
    multiply multiplier (
        .clock(clock),
        .enable(enable),
        .a(left[64*i+:64]),
        .b(right[64*i+:64]),
        .product(products[64*i+:64])
    );
  end

  // Writing.
  logic write;
  logic [LANES*COUNT-1:0] write_address;
  logic [$clog2(LANES)-1:0] write_turn;
  logic [LANES*64-1:0] write_data;

  places #(
      .LANES(LANES),
      .WRITTEN(1'b1)
  ) writing (
      .digit(digit),
      .count(narrow ? counts[NARROW+5] : counts[DEPTH]),
      .turn(write_turn),
      .address(write_address)
  );

  exchange_lanes #(
      .LANES(LANES)
  ) to_banks (
      .by(write_turn),
      .x (products),
      .y (write_data)
  );
  assign write = enable && !shows && (narrow ? valid[NARROW+5] : valid[DEPTH]);

  for (genvar b = 0; b < LANES; b++) begin : g_banks
    bank #(
        .ADDRESS(COUNT)
    ) memory (
        .clock(clock),
        .read(enable && issued && !from_rows),
        .read_address(read_address[COUNT*b+:COUNT]),
        .read_data(read_data[64*b+:64]),
        .write(write),
        .write_address(write_address[COUNT*b+:COUNT]),
        .write_data(write_data[64*b+:64])
    );
  end
endmodule
