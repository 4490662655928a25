// The engine behind AXI4: operands come over a stream and products leave over one, STREAM bits a
// beat (64, 128 or 256), and registers tell what to do. `axi_registers` lists these, `rows_in` and
// `rows_out` have the order of beats.
//
// A command is written, and then its operands are sent, or before: of a packet nothing is taken
// while no command wants it. The order on the stream is that of the rows: of 1,024, row 0 of a, row
// 0 of b if the command has two operands, row 1 of a, and so on, 768 bits a row. TLAST comes with
// the very last beat. The product leaves as 1,024 rows of 1,536 bits, a modular one as 1,024 rows
// of 768, TLAST with its last beat.
//
// What is wrong sets a bit of the status, which stays, and nothing hangs:
//   unknown command      nothing else happens
//   command while busy   it is ignored; the one at work goes on
//   slot empty           the command is ignored: KEPT with a slot, BOTH_KEPT or a modular product
//                        with either, that nothing was kept in since the last reset or restart
//   operands too short   TLAST came early: all that is missing is zero, and the command goes on
//   operands too long    the last row came without TLAST: the command goes on, and all further
//                        beats are discarded up to the one with TLAST, that too
//   modulus wrong        the slots of a modular product do not belong together, or n or an
//                        operand is too large: it leaves, and means nothing
// A command ends when its last beat was taken, and then is done. If a sender never sends TLAST or
// stops within a packet, a restart ends the wait.
//
// A restart is a reset in which the buses go on by their rules: its own write is answered, beats
// that were offered leave, and a product of which some beat was offered ends with one of zeros and
// TLAST. Whoever sends operands must then begin a new packet, or the rest of the old one is
// discarded if that is asked for.
//
// No output depends on an input in the same cycle.
module axi_engine #(
    parameter int LANES  = 16,
    parameter int STREAM = 256
) (
    input  logic              aclk,
    input  logic              aresetn,
    // Operands.
    input  logic [STREAM-1:0] s_axis_tdata,
    input  logic              s_axis_tvalid,
    output logic              s_axis_tready,
    input  logic              s_axis_tlast,
    // Products.
    output logic [STREAM-1:0] m_axis_tdata,
    output logic              m_axis_tvalid,
    input  logic              m_axis_tready,
    output logic              m_axis_tlast,
    // Registers.
    input  logic [       7:0] s_axi_awaddr,
    input  logic              s_axi_awvalid,
    output logic              s_axi_awready,
    input  logic [      31:0] s_axi_wdata,
    input  logic [       3:0] s_axi_wstrb,
    input  logic              s_axi_wvalid,
    output logic              s_axi_wready,
    output logic [       1:0] s_axi_bresp,
    output logic              s_axi_bvalid,
    input  logic              s_axi_bready,
    input  logic [       7:0] s_axi_araddr,
    input  logic              s_axi_arvalid,
    output logic              s_axi_arready,
    output logic [      31:0] s_axi_rdata,
    output logic [       1:0] s_axi_rresp,
    output logic              s_axi_rvalid,
    input  logic              s_axi_rready,
    output logic              irq
);
  logic reset, restart, clears;
  assign reset = !aresetn;
  assign clears = reset || restart;

  logic discards, asked, code_slot, busy, discarding, ends;
  logic [7:0] code;
  logic unknown_command, busy_before, short_packet, long_packet, slot_empty, wrong_modulus;
  logic command_valid, command_ready, slot, start, both, half, wrong;
  logic [2:0] command, stage;
  logic [1:0] round, pass;
  logic [31:0] cycles, products;
  logic in_valid, in_ready, wants, out_valid, out_ready, empty;
  logic [32*24-1:0] in_a, in_b;
  logic [64*24-1:0] out_digits;

  axi_registers #(
      .LANES (LANES),
      .STREAM(STREAM)
  ) registers (
      .clock(aclk),
      .reset(reset),
      .awaddr(s_axi_awaddr),
      .awvalid(s_axi_awvalid),
      .awready(s_axi_awready),
      .wdata(s_axi_wdata),
      .wstrb(s_axi_wstrb),
      .wvalid(s_axi_wvalid),
      .wready(s_axi_wready),
      .bresp(s_axi_bresp),
      .bvalid(s_axi_bvalid),
      .bready(s_axi_bready),
      .araddr(s_axi_araddr),
      .arvalid(s_axi_arvalid),
      .arready(s_axi_arready),
      .rdata(s_axi_rdata),
      .rresp(s_axi_rresp),
      .rvalid(s_axi_rvalid),
      .rready(s_axi_rready),
      .irq(irq),
      .restart(restart),
      .discards(discards),
      .asked(asked),
      .code(code),
      .code_slot(code_slot),
      .busy(busy),
      .discarding(discarding),
      .command(command),
      .slot(slot),
      .doing({pass, stage, round}),
      .happens({
        wrong_modulus,
        slot_empty,
        long_packet,
        short_packet,
        busy_before,
        unknown_command,
        6'd0,
        ends,
        1'b0
      }),
      .cycles(cycles),
      .products(products)
  );

  commands control (
      .clock(aclk),
      .reset(clears),
      .asked(asked),
      .code(code),
      .code_slot(code_slot),
      .command_valid(command_valid),
      .command_ready(command_ready),
      .command(command),
      .slot(slot),
      .wrong(wrong),
      .start(start),
      .both(both),
      .half(half),
      .quiet(empty && !wants),
      .busy(busy),
      .ends(ends),
      .unknown_command(unknown_command),
      .busy_before(busy_before),
      .slot_empty(slot_empty),
      .wrong_modulus(wrong_modulus),
      .cycles(cycles),
      .products(products)
  );

  rows_in #(
      .STREAM(STREAM)
  ) operands (
      .clock(aclk),
      .reset(reset),
      .restart(restart),
      .discards(discards),
      .start(start),
      .both(both),
      .beat_data(s_axis_tdata),
      .beat_last(s_axis_tlast),
      .beat_valid(s_axis_tvalid),
      .beat_ready(s_axis_tready),
      .valid(in_valid),
      .taken(in_ready),
      .a(in_a),
      .b(in_b),
      .wants(wants),
      .discarding(discarding),
      .short_packet(short_packet),
      .long_packet(long_packet)
  );

  engine #(
      .LANES(LANES)
  ) multiplier (
      .clock(aclk),
      .reset(clears),
      .command_valid(command_valid),
      .command_ready(command_ready),
      .command(command),
      .slot(slot),
      .in_valid(in_valid),
      .in_ready(in_ready),
      .in_a(in_a),
      .in_b(in_b),
      .out_valid(out_valid),
      .out_ready(out_ready),
      .out_digits(out_digits),
      .wrong(wrong),
      .round(round),
      .stage(stage),
      .pass(pass)
  );

  rows_out #(
      .STREAM(STREAM)
  ) product (
      .clock(aclk),
      .reset(reset),
      .restart(restart),
      .half(half),
      .valid(out_valid),
      .taken(out_ready),
      .row(out_digits),
      .beat_data(m_axis_tdata),
      .beat_last(m_axis_tlast),
      .beat_valid(m_axis_tvalid),
      .beat_ready(m_axis_tready),
      .empty(empty)
  );
endmodule
