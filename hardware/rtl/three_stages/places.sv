// Where the samples of a beat lie: lane i in bank i xor `turn`, at the address of what the bank
// leaves open of its position.
module places #(
    parameter int LANES = 16,
    parameter bit WRITTEN = 1'b0,
    localparam int COUNT = 16 - $clog2(LANES)
) (
    input  logic [              1:0] digit,
    input  logic [        COUNT-1:0] count,
    output logic [$clog2(LANES)-1:0] turn,
    output logic [  LANES*COUNT-1:0] address
);
  logic [15:0] lowest;
  position #(
      .LANES(LANES),
      .WRITTEN(WRITTEN)
  ) of_lane_0 (
      .digit(digit),
      .count(count),
      .lane({$clog2(LANES) {1'b0}}),
      .position(lowest)
  );
  bank_of #(
      .LANES(LANES)
  ) of_lowest (
      .position(lowest),
      .bank(turn)
  );

  for (genvar b = 0; b < LANES; b++) begin : g_banks
    logic [15:0] its;
    position #(
        .LANES(LANES),
        .WRITTEN(WRITTEN)
    ) of_lane (
        .digit(digit),
        .count(count),
        .lane(($clog2(LANES))'(b) ^ turn),
        .position(its)
    );
    if (LANES == 32) begin : g_address
      assign address[COUNT*b+:COUNT] = COUNT'({its[11], its[9:0]});
      logic unused;
      assign unused = &{1'b0, its[15:12], its[10]};
    end else begin : g_address
      assign address[COUNT*b+:COUNT] = its[COUNT-1:0];
      logic unused;
      assign unused = &{1'b0, its[15:COUNT]};
    end
  end
endmodule
