// One transform processor: sixteen banks, and between their ports the unit of sixteen points and
// sixteen multipliers. A group that is asked for is written back thirteen cycles later, in place.
//
//   cycle   0     1        1 .. 9      9 .. 13      13
//          read  turn   radix 16   multiply  turn, write
//
// The multipliers take twiddle factors, or in the last forward stage what the other processor's
// unit computed (`component`). While nothing is transformed, rows of sixteen consecutive samples
// are loaded, or read at `lanes` in the cycle after they are asked for.
module processor (
    input  logic             clock,
    input  logic             reset,
    // A row of samples.
    input  logic             load,
    input  logic [     11:0] load_row,
    input  logic [16*24-1:0] load_samples,
    // A group to be read, and whether to be transformed.
    input  logic             read,
    input  logic             transform,
    input  logic             inverse,
    input  logic [      1:0] digit,
    input  logic [     11:0] group,
    output logic [16*64-1:0] lanes,
    // Results before the multipliers, and another processor's.
    input  logic             component,
    input  logic [16*64-1:0] others,
    output logic [16*64-1:0] results,
    // Nothing is under way.
    output logic             idle
);
  localparam int DEPTH = 13;

  // What goes along with a group: [d] belongs to cycle d + 1.
  logic [DEPTH-1:0] valid;
  logic [11:0] groups[DEPTH];
  logic [1:0] digits[DEPTH];
  logic [7:0] inverses;
  logic [8:0] components;

  always_ff @(posedge clock) begin
    valid <= reset ? '0 : {valid[DEPTH-2:0], read && transform};
    inverses <= {inverses[6:0], inverse};
    components <= {components[7:0], component};
    if (read) begin
      groups[0] <= group;
      digits[0] <= digit;
    end
    for (int d = 1; d < DEPTH; d++) begin
      groups[d] <= groups[d-1];
      digits[d] <= digits[d-1];
    end
  end
  assign idle = valid == '0;

  // Reading.
  logic [16*12-1:0] read_address;
  logic [3:0] read_turn, turn;
  logic [16*64-1:0] read_data;

  addresses reading (
      .group(group),
      .digit(digit),
      .turn(read_turn),
      .address(read_address)
  );

  always_ff @(posedge clock) if (read) turn <= read_turn;

  turn_lanes from_banks (
      .by(-turn),
      .x (read_data),
      .y (lanes)
  );

  // The transform.
  logic [11:0] m_first, m;
  twiddle_index first (
      .inverse(inverses[0]),
      .digit(digits[0]),
      .group(groups[0]),
      .m(m_first)
  );

  radix_16 unit (
      .clock(clock),
      .inverse(inverses[0]),
      .turned(m_first != '0),
      .x(lanes),
      .y(results)
  );

  // Twiddle factors: asked for in cycle 8, there in cycle 9.
  twiddle_index index (
      .inverse(inverses[7]),
      .digit(digits[7]),
      .group(groups[7]),
      .m(m)
  );

  logic [16*64-1:0] products;
  for (genvar k = 0; k < 16; k++) begin : g_multipliers
    logic [63:0] factor;
    if (k == 0) begin : g_one
      assign factor = 64'd1;
    end else begin : g_twiddles
      twiddles #(
          .LANE(k)
      ) factors (
          .clock(clock),
          .inverse(inverses[7]),
          .m(m),
          .factor(factor)
      );
    end
    multiply multiplier (
        .clock(clock),
        .enable(1'b1),
        .a(results[64*k+:64]),
        .b(components[8] ? others[64*k+:64] : factor),
        .product(products[64*k+:64])
    );
  end

  // Writing, of results or of samples.
  logic [16*12-1:0] write_address;
  logic [3:0] write_turn;
  logic [16*64-1:0] samples, write_data;

  for (genvar j = 0; j < 16; j++) begin : g_samples
    assign samples[64*j+:64] = {40'b0, load_samples[24*j+:24]};
  end

  addresses writing (
      .group(load ? load_row : groups[DEPTH-1]),
      .digit(load ? 2'd0 : digits[DEPTH-1]),
      .turn(write_turn),
      .address(write_address)
  );

  turn_lanes to_banks (
      .by(write_turn),
      .x (load ? samples : products),
      .y (write_data)
  );

  for (genvar b = 0; b < 16; b++) begin : g_banks
    bank memory (
        .clock(clock),
        .read(read),
        .read_address(read_address[12*b+:12]),
        .read_data(read_data[64*b+:64]),
        .write(load || valid[DEPTH-1]),
        .write_address(write_address[12*b+:12]),
        .write_data(write_data[64*b+:64])
    );
  end
endmodule
