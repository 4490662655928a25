// The sample with digit k of a group is in the bank that equation 11 names (with its plus), at the
// address of equation 12, and every bank has one of them.
module prove_addresses (
    input logic [11:0] group,
    input logic [1:0] digit,
    input logic [3:0] k,
    input logic [3:0] other
);
  logic [3:0] turn;
  logic [16*12-1:0] address;

  addresses unit (
      .group(group),
      .digit(digit),
      .turn(turn),
      .address(address)
  );

  function automatic logic [15:0] position(input logic [3:0] varied);
    case (digit)
      2'd0: position = {group, varied};
      2'd1: position = {group[11:4], varied, group[3:0]};
      2'd2: position = {group[11:8], varied, group[7:0]};
      default: position = {varied, group};
    endcase
  endfunction

  function automatic logic [3:0] bank(input logic [15:0] at);
    bank = at[15:12] + at[11:8] + at[7:4] + at[3:0];
  endfunction

  logic [15:0] own;
  logic [3:0] place, other_place;
  assign own = position(k);
  assign place = bank(own);
  assign other_place = bank(position(other));

  always_comb begin
    assert (place == k + turn);
    assert (address[12*place+:12] == own[15:4]);
    assert (place != other_place || k == other);
  end
endmodule
