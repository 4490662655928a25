// By how much the results of a group are turned: result k is multiplied by R^(k m), or by R^(-k m)
// in the inverse. Forward, m has the digits below the one that varies, inverse those above in
// reverse order; stages before have taken the others. The last stage has none.
module twiddle_index (
    input  logic        inverse,
    input  logic [ 1:0] digit,
    input  logic [11:0] group,
    output logic [11:0] m
);
  logic [11:0] forward, backward;
  assign forward = digit == 2'd3 ? group : digit == 2'd2 ? {group[7:0], 4'b0}
      : digit == 2'd1 ? {group[3:0], 8'b0} : 12'b0;
  assign backward = digit == 2'd0 ? {group[3:0], group[7:4], group[11:8]}
      : digit == 2'd1 ? {group[7:4], group[11:8], 4'b0}
      : digit == 2'd2 ? {group[11:8], 8'b0} : 12'b0;
  assign m = inverse ? backward : forward;
endmodule
