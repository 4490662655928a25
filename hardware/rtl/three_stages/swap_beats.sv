// Lanes and beats exchanged in blocks of SIZE lanes over SIZE cycles: what comes in lane r at beat t
// leaves in lane t at beat r. A block's first beat leaves SIZE - 1 cycles after it came; blocks may
// follow each other at once.
//
// Lane r waits r cycles, so that in each cycle every lane has something for another; lane t then
// waits SIZE - 1 - t.
module swap_beats #(
    parameter int SIZE  = 4,
    parameter int WIDTH = 64
) (
    input  logic                    clock,
    input  logic                    enable,
    // Of what comes.
    input  logic [$clog2(SIZE)-1:0] beat,
    input  logic [  SIZE*WIDTH-1:0] x,
    output logic [  SIZE*WIDTH-1:0] y
);
  /* verilator no_inline_module */
  logic [SIZE*WIDTH-1:0] late, exchanged;

  for (genvar i = 0; i < SIZE; i++) begin : g_lanes
    delay #(
        .WIDTH (WIDTH),
        .CYCLES(i)
    ) earlier (
        .clock(clock),
        .enable(enable),
        .x(x[WIDTH*i+:WIDTH]),
        .y(late[WIDTH*i+:WIDTH])
    );

    logic [$clog2(SIZE)-1:0] from;
    assign from = beat - ($clog2(SIZE))'(i);
    assign exchanged[WIDTH*i+:WIDTH] = late[WIDTH*from+:WIDTH];

    delay #(
        .WIDTH (WIDTH),
        .CYCLES(SIZE - 1 - i)
    ) later (
        .clock(clock),
        .enable(enable),
        .x(exchanged[WIDTH*i+:WIDTH]),
        .y(y[WIDTH*i+:WIDTH])
    );
  end
endmodule
