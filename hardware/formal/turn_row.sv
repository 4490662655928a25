// Every bit of a row comes where the power of two moves it, and nothing comes from elsewhere.
module prove_turn_row (
    input logic [  5:0] turn,
    input logic         scale,
    input logic [113:0] x,
    input logic [  7:0] bit_of_x
);
  logic [191:0] row;
  logic [9:0] moved, place;

  turn_row unit (
      .turn(turn),
      .scale(scale),
      .x(x),
      .row(row)
  );

  assign moved = {2'b0, bit_of_x} + 10'd3 * {4'b0, turn} + (scale ? 10'd176 : 10'd0);
  assign place = moved >= 10'd384 ? moved - 10'd384 : moved >= 10'd192 ? moved - 10'd192 : moved;

  always_comb begin
    assume (bit_of_x < 8'd192);
    assert (row[place[7:0]] == (bit_of_x < 8'd114 ? x[bit_of_x[6:0]] : 1'b0));
  end
endmodule
