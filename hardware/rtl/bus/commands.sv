// Which commands are begun, when they end, and what there is to know of them.
//
// A command is begun if nothing else is at work, it is known, and the slots that it needs were
// filled. It ends when the engine is ready for the next one, and the last beat of its product was
// taken.
module commands (
    input  logic        clock,
    input  logic        reset,
    // A command is asked for, in one cycle.
    input  logic        asked,
    input  logic [ 7:0] code,
    input  logic        code_slot,
    // The engine's side; `command` and `slot` stay while it is at work.
    output logic        command_valid,
    input  logic        command_ready,
    output logic [ 2:0] command,
    output logic        slot,
    input  logic        wrong,
    // The streams' side: rows are wanted from now on, those of two operands, half rows are given;
    // and nothing is under way on either side.
    output logic        start,
    output logic        both,
    output logic        half,
    input  logic        quiet,
    output logic        busy,
    // In one cycle: a command has ended, and what went wrong.
    output logic        ends,
    output logic        unknown_command,
    output logic        busy_before,
    output logic        slot_empty,
    output logic        wrong_modulus,
    // Cycles of the last command, or until now; products that left.
    output logic [31:0] cycles,
    output logic [31:0] products
);
  // As `engine` has them.
  localparam logic [2:0] MULTIPLY = 3'd0;
  localparam logic [2:0] KEEP = 3'd2;
  localparam logic [2:0] KEPT = 3'd3;
  localparam logic [2:0] BOTH_KEPT = 3'd4;
  localparam logic [2:0] MODULAR = 3'd5;
  localparam logic [2:0] MODULAR_SQUARE = 3'd6;

  typedef enum logic [1:0] {
    IDLE,
    GO,
    WORK
  } state_t;
  state_t state;
  logic [1:0] filled;

  logic known, lacks, begins;
  logic [2:0] short_code;
  assign short_code = code[2:0];
  assign known = code < 8'd7;
  assign lacks = short_code == KEPT ? !filled[code_slot] : short_code > KEPT && filled != 2'b11;
  assign busy = state != IDLE;
  assign busy_before = asked && busy;
  assign unknown_command = asked && !busy && !known;
  assign slot_empty = asked && !busy && known && lacks;
  assign begins = asked && !busy && known && !lacks;

  assign command_valid = state == GO;
  assign start = state == GO && command_ready && command != BOTH_KEPT;
  assign both = command == MULTIPLY || command == MODULAR;
  assign half = command == MODULAR || command == MODULAR_SQUARE;
  assign ends = state == WORK && command_ready && quiet;
  assign wrong_modulus = ends && wrong;

  always_ff @(posedge clock) begin
    if (reset) begin
      state <= IDLE;
      filled <= '0;
      command <= '0;
      slot <= 1'b0;
      cycles <= '0;
      products <= '0;
    end else begin
      unique case (state)
        IDLE: if (begins) state <= GO;
        GO: if (command_ready) state <= WORK;
        default: if (ends) state <= IDLE;
      endcase
      if (begins) begin
        command <= short_code;
        slot <= code_slot;
        cycles <= '0;
      end else if (busy) begin
        cycles <= cycles + 32'd1;
      end
      if (ends && command == KEEP) filled[slot] <= 1'b1;
      if (ends && command != KEEP) products <= products + 32'd1;
    end
  end
endmodule
