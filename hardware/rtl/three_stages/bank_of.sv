// The bank of a position, so that the samples of a beat never meet: an exclusive or of its digits,
// each of which, with LANES below 64, has bits folded that do not vary at once, neither in points
// nor in results.
module bank_of #(
    parameter int LANES = 16
) (
    input  logic [             15:0] position,
    output logic [$clog2(LANES)-1:0] bank
);
  function automatic logic [$clog2(LANES)-1:0] folded(input logic [5:0] of);
    if (LANES == 16) folded = ($clog2(LANES))'({of[5:4], of[3] ^ of[1], of[2] ^ of[0]});
    else if (LANES == 32)
      folded = ($clog2(LANES))'({of[5:4], of[3] ^ of[1], of[2], of[0]});
    else folded = ($clog2(LANES))'(of);
  endfunction

  assign bank = folded(position[15:10]) ^ folded(position[9:4]) ^ folded({position[3:0], 2'b0});
endmodule
