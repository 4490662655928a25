// Registers behind AXI4-Lite, 32 bits each.
//
//   0x00 identification  "BLND"
//   0x04 version         1.0: the upper half and the lower
//   0x08 shape           bits 15:0 lanes, 31:16 bits of a beat
//   0x0C control         write bit 0: restart; with bit 1, the rest of a packet of operands of
//                        which something was taken is discarded. Reads as zero
//   0x10 command         bits 2:0 code, as `engine` has them (7:0 when written), bit 8 slot.
//                        Writing it asks for the command, reading gives the last that was begun
//   0x14 status          bit 0 busy, 1 done*, 2 a packet is being discarded, 8 unknown command*,
//                        9 command while busy*, 10 operands too short*, 11 operands too long*,
//                        12 slot empty*, 13 modulus wrong*, and what the engine does: 17:16 round,
//                        20:18 stage, 22:21 pass
//   0x18 interrupts      for each bit * of the status: whether it interrupts
//   0x1C cycles          for which the last command was busy, or is until now
//   0x20 products        that left since the last reset or restart
//
// Bits * stay until one is written to them, or until a restart. The interrupt `irq` is a level:
// some bit * is set that interrupts. Only the strobed bytes of a register are written; a command is
// asked for, and control looked at, if the lowest byte is. A read of any other address, and a write
// to any but those of control, command, status and interrupts, is answered by SLVERR, and does
// nothing. The lowest two bits of an address are not looked at.
//
// A write happens in the cycle after both its address and its data came; the response comes in the
// next. There is one write at a time and one read.
module axi_registers #(
    parameter int LANES  = 16,
    parameter int STREAM = 256
) (
    input  logic        clock,
    input  logic        reset,
    input  logic [ 7:0] awaddr,
    input  logic        awvalid,
    output logic        awready,
    input  logic [31:0] wdata,
    input  logic [ 3:0] wstrb,
    input  logic        wvalid,
    output logic        wready,
    output logic [ 1:0] bresp,
    output logic        bvalid,
    input  logic        bready,
    input  logic [ 7:0] araddr,
    input  logic        arvalid,
    output logic        arready,
    output logic [31:0] rdata,
    output logic [ 1:0] rresp,
    output logic        rvalid,
    input  logic        rready,
    output logic        irq,
    // What is asked for, each in one cycle.
    output logic        restart,
    output logic        discards,
    output logic        asked,
    output logic [ 7:0] code,
    output logic        code_slot,
    // What registers show; `happens` are the bits * of the status, each in one cycle.
    input  logic        busy,
    input  logic        discarding,
    input  logic [ 2:0] command,
    input  logic        slot,
    input  logic [ 6:0] doing,
    input  logic [13:0] happens,
    input  logic [31:0] cycles,
    input  logic [31:0] products
);
  localparam logic [5:0] IDENTIFICATION = 6'd0;
  localparam logic [5:0] VERSION = 6'd1;
  localparam logic [5:0] SHAPE = 6'd2;
  localparam logic [5:0] CONTROL = 6'd3;
  localparam logic [5:0] COMMAND = 6'd4;
  localparam logic [5:0] STATUS = 6'd5;
  localparam logic [5:0] INTERRUPTS = 6'd6;
  localparam logic [5:0] CYCLES = 6'd7;
  localparam logic [5:0] PRODUCTS = 6'd8;

  localparam logic [1:0] OKAY = 2'b00;
  localparam logic [1:0] SLVERR = 2'b10;

  // The bits * of the status.
  localparam logic [13:0] STAY = 14'h3F02;

  // Writes: an address and data are held until both are there.
  logic address_there, data_there, writes, writable;
  logic [5:0] address;
  logic [13:0] data, strobes;
  assign awready = !address_there && !bvalid;
  assign wready = !data_there && !bvalid;
  assign writes = address_there && data_there;
  assign writable = address >= CONTROL && address <= INTERRUPTS;

  always_ff @(posedge clock) begin
    if (reset) begin
      address_there <= 1'b0;
      data_there <= 1'b0;
      bvalid <= 1'b0;
    end else begin
      if (writes) address_there <= 1'b0;
      else if (awvalid && awready) address_there <= 1'b1;
      if (writes) data_there <= 1'b0;
      else if (wvalid && wready) data_there <= 1'b1;
      if (writes) bvalid <= 1'b1;
      else if (bready) bvalid <= 1'b0;
    end
    if (awvalid && awready) address <= awaddr[7:2];
    if (wvalid && wready) begin
      data <= wdata[13:0];
      strobes <= {{6{wstrb[1]}}, {8{wstrb[0]}}};
    end
    if (writes) bresp <= writable ? OKAY : SLVERR;
  end

  assign restart = writes && address == CONTROL && strobes[0] && data[0];
  assign discards = data[1];
  assign asked = writes && address == COMMAND && strobes[0];
  assign code = data[7:0];
  assign code_slot = data[8] && strobes[8];

  // What stays. Something that happens is not lost because a bit is cleared in the same cycle.
  logic [13:0] happened, cleared, interrupts;
  assign cleared = writes && address == STATUS ? data & strobes : 14'd0;
  always_ff @(posedge clock) begin
    if (reset || restart) begin
      happened <= '0;
      interrupts <= '0;
      irq <= 1'b0;
    end else begin
      happened <= ((happened & ~cleared) | happens) & STAY;
      if (writes && address == INTERRUPTS) begin
        interrupts <= ((interrupts & ~strobes) | (data & strobes)) & STAY;
      end
      irq <= (happened & interrupts) != '0;
    end
  end

  // Reads.
  logic [5:0] read_address;
  logic [31:0] read_data;
  assign arready = !rvalid;
  assign read_address = araddr[7:2];
  assign read_data = read_address == IDENTIFICATION ? 32'h424C_4E44
      : read_address == VERSION ? 32'h0001_0000
      : read_address == SHAPE ? {16'(STREAM), 16'(LANES)}
      : read_address == COMMAND ? {23'd0, slot, 5'd0, command}
      : read_address == STATUS ? {9'd0, doing, 2'd0, happened[13:3], discarding, happened[1], busy}
      : read_address == INTERRUPTS ? {18'd0, interrupts}
      : read_address == CYCLES ? cycles
      : read_address == PRODUCTS ? products : 32'd0;

  always_ff @(posedge clock) begin
    if (reset) rvalid <= 1'b0;
    else if (arvalid && arready) rvalid <= 1'b1;
    else if (rready) rvalid <= 1'b0;
    if (arvalid && arready) begin
      rdata <= read_data;
      rresp <= read_address <= PRODUCTS ? OKAY : SLVERR;
    end
  end

  logic unused;
  assign unused = &{1'b0, awaddr[1:0], araddr[1:0], wdata[31:14], wstrb[3:2], happened[2],
      happened[0]};
endmodule
