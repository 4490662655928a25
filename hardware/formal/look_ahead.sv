// Carries at once are those of a ripple, whatever words generate and are critical; none is both.
module prove_look_ahead (
    input logic [15:0] generates,
    input logic [15:0] critical,
    input logic carry
);
  logic [16:0] carries, ripple;

  look_ahead unit (
      .generates(generates),
      .critical(critical),
      .carry(carry),
      .carries(carries)
  );

  assign ripple[0] = carry;
  for (genvar i = 0; i < 16; i++) begin : g_ripple
    assign ripple[i+1] = generates[i] || critical[i] && ripple[i];
  end

  always_comb begin
    assume ((generates & critical) == '0);
    assert (carries == ripple);
  end
endmodule
