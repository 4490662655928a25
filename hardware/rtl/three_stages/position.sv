// The position, of 65,536, of a lane's sample at one beat of a stage. A stage varies one digit of
// positions: the lowest (four bits, sixteen points, LANES/16 transforms at a beat), the middle or
// the highest one (six bits, sixty-four points over 64/LANES beats). WRITTEN says whether samples
// are read in the order of the unit's points or written in that of its results (`radix_64`).
module position #(
    parameter int LANES = 16,
    parameter bit WRITTEN = 1'b0,
    localparam int COUNT = 16 - $clog2(LANES)
) (
    // 0 for the lowest digit, 1, 2.
    input  logic [              1:0] digit,
    input  logic [        COUNT-1:0] count,
    input  logic [$clog2(LANES)-1:0] lane,
    output logic [             15:0] position
);
  logic [ 9:0] group;
  logic [ 5:0] varied;
  logic [15:0] narrow;

  if (LANES == 16) begin : g_lanes
    assign group  = count[11:2];
    assign varied = WRITTEN ? {lane[3:2], count[1:0], lane[1:0]} : {lane, count[1:0]};
    assign narrow = {count, lane};
  end else if (LANES == 32) begin : g_lanes
    assign group  = count[10:1];
    assign varied = WRITTEN ? {lane[4:3], count[0], lane[1], lane[2], lane[0]}
        : {lane[4:1], count[0], lane[0]};
    assign narrow = {count, lane[0], lane[4:1]};
  end else begin : g_lanes
    assign group  = count;
    assign varied = lane;
    assign narrow = {count, lane[1:0], lane[5:2]};
  end

  assign position = digit == 2'd0 ? narrow
      : digit == 2'd1 ? {group[9:4], varied, group[3:0]} : {varied, group};
endmodule
