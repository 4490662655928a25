// The samples of a beat never meet in a bank, whatever the stage, in the order of reading and in
// that of writing; two positions never share a bank and an address; a transform writes positions
// that it has read, none but these; a stage comes to every position once; and lanes and beats have
// the points and results that `radix_64` has there.
module prove_places #(
    parameter int LANES = 16,
    localparam int COUNT = 16 - $clog2(LANES),
    localparam int BEATS = 64 / LANES
) (
    input logic [              1:0] digit,
    input logic [        COUNT-1:0] count,
    input logic [$clog2(LANES)-1:0] lane,
    // Another sample of the stage, and one of any.
    input logic [        COUNT-1:0] second_count,
    input logic [$clog2(LANES)-1:0] second_lane,
    input logic [             15:0] other
);
  logic [15:0] read, written, second_read, second_written;
  logic [$clog2(LANES)-1:0] read_turn, written_turn, read_bank, written_bank, other_bank;
  logic [LANES*COUNT-1:0] read_addresses, written_addresses;
  logic [COUNT-1:0] read_address, written_address, other_address;

  position #(
      .LANES(LANES)
  ) reading (
      .digit(digit),
      .count(count),
      .lane(lane),
      .position(read)
  );
  position #(
      .LANES(LANES),
      .WRITTEN(1'b1)
  ) writing (
      .digit(digit),
      .count(count),
      .lane(lane),
      .position(written)
  );
  position #(
      .LANES(LANES)
  ) second_reading (
      .digit(digit),
      .count(second_count),
      .lane(second_lane),
      .position(second_read)
  );
  position #(
      .LANES(LANES),
      .WRITTEN(1'b1)
  ) second_writing (
      .digit(digit),
      .count(second_count),
      .lane(second_lane),
      .position(second_written)
  );
  places #(
      .LANES(LANES)
  ) of_reading (
      .digit(digit),
      .count(count),
      .turn(read_turn),
      .address(read_addresses)
  );
  places #(
      .LANES(LANES),
      .WRITTEN(1'b1)
  ) of_writing (
      .digit(digit),
      .count(count),
      .turn(written_turn),
      .address(written_addresses)
  );
  bank_of #(
      .LANES(LANES)
  ) bank_read (
      .position(read),
      .bank(read_bank)
  );
  bank_of #(
      .LANES(LANES)
  ) bank_written (
      .position(written),
      .bank(written_bank)
  );
  bank_of #(
      .LANES(LANES)
  ) bank_other (
      .position(other),
      .bank(other_bank)
  );
  assign read_address = read_addresses[COUNT*read_bank+:COUNT];
  assign written_address = written_addresses[COUNT*written_bank+:COUNT];
  // The address of a position does not depend on how it is reached.
  assign other_address = LANES == 32 ? COUNT'({other[11], other[9:0]}) : other[COUNT-1:0];

  // What a stage does not vary.
  logic [15:0] fixed;
  assign fixed = digit == 2'd0 ? 16'hFFF0 : digit == 2'd1 ? 16'hFC0F : 16'h03FF;

  // Digits to the base of four: (a, b, c) of a point, (m, l, k) of a result.
  logic [5:0] point, result;
  if (LANES == 16) begin : g_order
    assign point  = {lane[3:2], lane[1:0], count[1:0]};
    assign result = {lane[3:2], count[1:0], lane[1:0]};
  end else if (LANES == 32) begin : g_order
    assign point  = {lane[4:3], lane[2:1], count[0], lane[0]};
    assign result = {lane[4:3], count[0], lane[1], lane[2], lane[0]};
  end else begin : g_order
    assign point  = lane;
    assign result = lane;
  end

  always_comb begin
    assume (digit != 2'd3);
    // Lanes differ, so their banks do.
    assert (read_bank == (lane ^ read_turn));
    assert (written_bank == (lane ^ written_turn));
    if (other == read) assert (other_address == read_address);
    if (other == written) assert (other_address == written_address);
    if (other_bank == read_bank && other_address == read_address) assert (other == read);
    if (other_bank == written_bank && other_address == written_address) assert (other == written);
    assert (read != second_read || (count == second_count && lane == second_lane));
    assert (written != second_written || (count == second_count && lane == second_lane));
    if (digit != 2'd0) begin
      assert ((digit == 2'd1 ? read[9:4] : read[15:10]) == point);
      assert ((digit == 2'd1 ? written[9:4] : written[15:10]) == result);
      assert ((read & fixed) == (written & fixed));
    end else begin
      assert (read == written);
      // Point and result of sixteen in the upper four bits of the lane.
      assert (read[3:0] == lane[$clog2(LANES)-1-:4]);
    end
  end
endmodule
