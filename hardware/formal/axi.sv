// The engine behind AXI4 keeps the rules of its buses, whatever the engine computes, whatever comes
// over the streams, and whatever is written: what is offered stays until it is taken, nothing is
// answered that was not asked, rows are counted right, and the engine is told only what it may be.
//
// By induction. Assumed is a reset in the first cycle, and of the sides outside only that the
// operands' sender and the master of the registers keep the same rules. The engine is replaced by
// one that gives any rows at any time, and ends when it has taken and given as many as there are.
module prove_axi (
    input logic        clock,
    input logic        aresetn,
    input logic        s_valid,
    input logic        s_last,
    input logic [63:0] s_data,
    input logic        m_ready,
    input logic [ 7:0] awaddr,
    input logic        awvalid,
    input logic [31:0] wdata,
    input logic [ 3:0] wstrb,
    input logic        wvalid,
    input logic        bready,
    input logic [ 7:0] araddr,
    input logic        arvalid,
    input logic        rready
);
  logic s_ready, m_valid, m_last, awready, wready, bvalid, arready, rvalid, irq;
  logic [63:0] m_data;
  logic [1:0] bresp, rresp;
  logic [31:0] rdata;

  axi_engine #(
      .STREAM(64)
  ) unit (
      .aclk(clock),
      .aresetn(aresetn),
      .s_axis_tdata(s_data),
      .s_axis_tvalid(s_valid),
      .s_axis_tready(s_ready),
      .s_axis_tlast(s_last),
      .m_axis_tdata(m_data),
      .m_axis_tvalid(m_valid),
      .m_axis_tready(m_ready),
      .m_axis_tlast(m_last),
      .s_axi_awaddr(awaddr),
      .s_axi_awvalid(awvalid),
      .s_axi_awready(awready),
      .s_axi_wdata(wdata),
      .s_axi_wstrb(wstrb),
      .s_axi_wvalid(wvalid),
      .s_axi_wready(wready),
      .s_axi_bresp(bresp),
      .s_axi_bvalid(bvalid),
      .s_axi_bready(bready),
      .s_axi_araddr(araddr),
      .s_axi_arvalid(arvalid),
      .s_axi_arready(arready),
      .s_axi_rdata(rdata),
      .s_axi_rresp(rresp),
      .s_axi_rvalid(rvalid),
      .s_axi_rready(rready),
      .irq(irq)
  );

  logic started = 1'b0;
  // Of the cycle before: what was offered and not taken.
  logic m_waits = 1'b0;
  logic b_waits = 1'b0;
  logic r_waits = 1'b0;
  logic s_waits = 1'b0;
  logic aw_waits = 1'b0;
  logic w_waits = 1'b0;
  logic ar_waits = 1'b0;
  logic [64:0] m_offered, s_offered;
  logic [1:0] b_offered;
  logic [33:0] r_offered;
  logic [7:0] aw_offered, ar_offered;
  logic [35:0] w_offered;
  // Addresses, data and reads that were taken, less their answers.
  logic [1:0] addresses, datas, reads;

  always_ff @(posedge clock) begin
    started <= 1'b1;
    m_waits <= aresetn && m_valid && !m_ready;
    b_waits <= aresetn && bvalid && !bready;
    r_waits <= aresetn && rvalid && !rready;
    s_waits <= aresetn && s_valid && !s_ready;
    aw_waits <= aresetn && awvalid && !awready;
    w_waits <= aresetn && wvalid && !wready;
    ar_waits <= aresetn && arvalid && !arready;
    m_offered <= {m_last, m_data};
    b_offered <= bresp;
    r_offered <= {rresp, rdata};
    s_offered <= {s_last, s_data};
    aw_offered <= awaddr;
    w_offered <= {wstrb, wdata};
    ar_offered <= araddr;
    if (!aresetn) begin
      addresses <= '0;
      datas <= '0;
      reads <= '0;
    end else begin
      addresses <= addresses + {1'b0, awvalid && awready} - {1'b0, bvalid && bready};
      datas <= datas + {1'b0, wvalid && wready} - {1'b0, bvalid && bready};
      reads <= reads + {1'b0, arvalid && arready} - {1'b0, rvalid && rready};
    end

    if (!started) assume (!aresetn);
    else begin
      if (s_waits) assume (s_valid && {s_last, s_data} == s_offered);
      if (aw_waits) assume (awvalid && awaddr == aw_offered);
      if (w_waits) assume (wvalid && {wstrb, wdata} == w_offered);
      if (ar_waits) assume (arvalid && araddr == ar_offered);

      // What is offered stays.
      if (m_waits) assert (m_valid && {m_last, m_data} == m_offered);
      if (b_waits) assert (bvalid && bresp == b_offered);
      if (r_waits) assert (rvalid && {rresp, rdata} == r_offered);
      // An answer has its question, and there is one at a time.
      assert (addresses <= 2'd1 && datas <= 2'd1 && reads <= 2'd1);
      assert (!bvalid || (addresses == 2'd1 && datas == 2'd1));
      assert (rvalid == (reads == 2'd1));
      assert (bresp == 2'b00 || bresp == 2'b10 || !bvalid);
      assert (rresp == 2'b00 || rresp == 2'b10 || !rvalid);
      // Nothing is taken of a question that cannot be held.
      assert (!(awvalid && awready) || addresses == 2'd0);
      assert (!(wvalid && wready) || datas == 2'd0);
    end
  end

  // What is inside, by its names after flattening.
  (* hierconn *)
  logic [1:0] \unit.control.state ;
  (* hierconn *)
  logic [2:0] \unit.control.command ;
  (* hierconn *)
  logic \unit.control.half ;
  (* hierconn *)
  logic \unit.control.both ;
  (* hierconn *)
  logic \unit.control.ends ;
  (* hierconn *)
  logic \unit.registers.address_there ;
  (* hierconn *)
  logic \unit.registers.data_there ;
  (* hierconn *)
  logic \unit.registers.restart ;
  (* hierconn *)
  logic \unit.operands.wants ;
  (* hierconn *)
  logic [9:0] \unit.operands.row ;
  (* hierconn *)
  logic [3:0] \unit.operands.beat ;
  (* hierconn *)
  logic \unit.operands.second ;
  (* hierconn *)
  logic \unit.operands.padding ;
  (* hierconn *)
  logic \unit.operands.open ;
  (* hierconn *)
  logic \unit.operands.discarding ;
  (* hierconn *)
  logic \unit.operands.valid ;
  (* hierconn *)
  logic \unit.operands.taken ;
  (* hierconn *)
  logic [767:0] \unit.operands.a ;
  (* hierconn *)
  logic [767:0] \unit.operands.b ;
  (* hierconn *)
  logic [4:0] \unit.product.beat ;
  (* hierconn *)
  logic [9:0] \unit.product.count ;
  (* hierconn *)
  logic \unit.product.open ;
  (* hierconn *)
  logic \unit.product.closing ;
  (* hierconn *)
  logic \unit.product.leaving.spare_valid ;
  (* hierconn *)
  logic [64:0] \unit.product.leaving.spare ;
  (* hierconn *)
  logic \unit.product.leaving.in_valid ;
  (* hierconn *)
  logic \unit.product.leaving.in_ready ;
  (* hierconn *)
  logic [64:0] \unit.product.leaving.in ;
  (* hierconn *)
  logic \unit.multiplier.command_valid ;
  (* hierconn *)
  logic \unit.multiplier.command_ready ;
  (* hierconn *)
  logic \unit.multiplier.works ;
  (* hierconn *)
  logic \unit.multiplier.wants_rows ;
  (* hierconn *)
  logic \unit.multiplier.gives_rows ;
  (* hierconn *)
  logic [10:0] \unit.multiplier.taken ;
  (* hierconn *)
  logic [10:0] \unit.multiplier.given ;
  (* hierconn *)
  logic \unit.multiplier.row_there ;

  // Rows that the engine has taken or is offered, and rows that it has given.
  logic wanting, giving;
  logic [10:0] came, left;
  assign wanting = \unit.multiplier.works && \unit.multiplier.wants_rows ;
  assign giving = \unit.multiplier.works && \unit.multiplier.gives_rows ;
  assign came = \unit.multiplier.taken + {10'd0, \unit.operands.valid };
  assign left = \unit.multiplier.given ;

  // Of the beats that went to the receiver's side, the last was not its packet's last.
  logic packet_open;
  // The spare beat was there when the receiver took one.
  logic spare_moves = 1'b0;
  logic [64:0] spare_before;
  always_ff @(posedge clock) begin
    spare_moves <= aresetn && \unit.product.leaving.spare_valid && m_ready;
    spare_before <= \unit.product.leaving.spare ;
    if (!aresetn) packet_open <= 1'b0;
    else if (\unit.product.leaving.in_valid && \unit.product.leaving.in_ready ) begin
      packet_open <= !\unit.product.leaving.in [64];
    end
    if (started) begin
      if (spare_moves) assert (m_valid && {m_last, m_data} == spare_before);
      assert (packet_open == (\unit.product.open || \unit.product.closing ));
    end
  end

  logic rows_wait = 1'b0;
  logic [2*768-1:0] rows_offered;
  always_ff @(posedge clock) begin
    rows_wait <= aresetn && !\unit.registers.restart && \unit.operands.valid
        && !\unit.operands.taken ;
    rows_offered <= {\unit.operands.b , \unit.operands.a };
    if (started) begin
      // What is held of a write is what was asked and not answered.
      assert (\unit.registers.address_there == (addresses == 2'd1 && !bvalid));
      assert (\unit.registers.data_there == (datas == 2'd1 && !bvalid));

      // Rows stay until the engine takes them.
      if (rows_wait) begin
        assert (\unit.operands.valid );
        assert ({\unit.operands.b , \unit.operands.a } == rows_offered);
      end

      // A command goes only to an engine that rests, and there is such a command.
      assert (\unit.control.state <= 2'd2);
      assert (!\unit.multiplier.works || \unit.control.state == 2'd2);
      assert (!\unit.multiplier.command_valid || \unit.multiplier.command_ready );
      assert (\unit.control.command < 3'd7);
      if (\unit.multiplier.works ) begin
        assert (\unit.multiplier.wants_rows == (\unit.control.command != 3'd4));
        assert (\unit.multiplier.gives_rows == (\unit.control.command != 3'd2));
      end

      // Rows come as many as a command has, and none otherwise.
      assert (\unit.operands.beat < 4'd12);
      assert (!\unit.operands.second || \unit.control.both );
      if (wanting) begin
        assert (came <= 11'd1024);
        assert (came == (\unit.operands.wants ? {1'b0, \unit.operands.row } : 11'd1024));
      end else begin
        assert (!\unit.operands.wants && !\unit.operands.valid );
      end
      if (!\unit.operands.wants ) begin
        assert (\unit.operands.row == 10'd0 && \unit.operands.beat == 4'd0);
        assert (!\unit.operands.second && !\unit.operands.padding );
      end
      assert (!\unit.operands.padding || !\unit.operands.discarding );
      assert (!\unit.operands.discarding || \unit.operands.open );

      // All beats of a product leave: a packet is open from its first to its last.
      assert (\unit.product.beat < (\unit.control.half ? 5'd12 : 5'd24));
      if (giving) begin
        assert (left + {10'd0, \unit.multiplier.row_there } <= 11'd1024);
        assert (\unit.product.count == left[9:0]);
        assert (\unit.product.open == (\unit.product.beat != 5'd0
            || (left != 11'd0 && left != 11'd1024)));
      end else begin
        assert (\unit.product.count == 10'd0 && !\unit.product.open );
        assert (!\unit.multiplier.row_there );
      end
      if (\unit.product.beat != 5'd0) assert (\unit.multiplier.row_there );
      assert (!\unit.product.open || !\unit.product.closing );
      assert (!\unit.product.leaving.spare_valid || m_valid);

      // A command has ended only when nothing of it is under way.
      if (\unit.control.ends ) begin
        assert (!m_valid && !\unit.product.closing && !\unit.operands.valid );
        assert (!\unit.operands.wants && !\unit.multiplier.works );
      end
    end
  end
endmodule

// An engine that takes and gives any rows at any time, as many as a command has.
module engine #(
    parameter int LANES = 16
) (
    input  logic             clock,
    input  logic             reset,
    input  logic             command_valid,
    output logic             command_ready,
    input  logic [      2:0] command,
    input  logic             slot,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [32*24-1:0] in_a,
    input  logic [32*24-1:0] in_b,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [64*24-1:0] out_digits,
    output logic             wrong,
    output logic [      1:0] round,
    output logic [      2:0] stage,
    output logic [      1:0] pass
);
  (* anyseq *) logic any_ready, any_gives, any_ends, any_wrong;
  (* anyseq *) logic [64*24-1:0] any_row;
  (* anyseq *) logic [6:0] any_doing;
  logic works, row_there, wants_rows, gives_rows;
  logic [10:0] taken, given;
  logic [64*24-1:0] row;
  assign command_ready = !works;
  assign wrong = any_wrong;
  assign {round, stage, pass} = any_doing;
  assign out_valid = row_there;
  assign out_digits = row;
  assign in_ready = works && wants_rows && taken < 11'd1024 && any_ready;

  always_ff @(posedge clock) begin
    if (reset) begin
      works <= 1'b0;
      row_there <= 1'b0;
    end else if (!works) begin
      if (command_valid) begin
        works <= 1'b1;
        wants_rows <= command != 3'd4;
        gives_rows <= command != 3'd2;
        taken <= '0;
        given <= '0;
      end
    end else begin
      if (in_valid && in_ready) taken <= taken + 11'd1;
      if (row_there && out_ready) begin
        given <= given + 11'd1;
        row_there <= 1'b0;
      end
      // Its first row comes after the last operand's.
      if (!row_there || out_ready) begin
        if (any_gives && gives_rows && (!wants_rows || taken == 11'd1024)
            && given + {10'd0, row_there} < 11'd1024) begin
          row_there <= 1'b1;
          row <= any_row;
        end
      end
      if (any_ends && !row_there && (!wants_rows || taken == 11'd1024)
          && (!gives_rows || given == 11'd1024)) begin
        works <= 1'b0;
      end
    end
  end
endmodule
