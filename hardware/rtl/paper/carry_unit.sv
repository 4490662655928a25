// Sixteen sums a cycle become sixteen digits of 24 bits, two cycles later (section IV-D).
//
// First cycle: at each digit the three blocks of 24 bits that meet there are added, and what that
// exceeds 24 bits by goes to the next one, which leaves words of at most two more than the largest
// digit. Second cycle: words that generate a carry and words that pass one on decide all carries at
// once (equation 13).
module carry_unit (
    input  logic             clock,
    // Forgets everything before the next sums.
    input  logic             clear,
    // Takes the next sums; gives the digits of those that were taken before.
    input  logic             take,
    input  logic             give,
    input  logic [16*64-1:0] sums,
    output logic [16*24-1:0] digits
);
  // The two highest sums of the cycle before, and what its highest digit exceeded.
  logic [63:24] last;
  logic [63:48] last_but_one;
  logic [1:0] excess;
  logic [16*25-1:0] words;
  logic carry;

  logic [16*26-1:0] blocks;
  logic [16*25-1:0] next_words;

  for (genvar i = 0; i < 16; i++) begin : g_blocks
    // Of the lane's own sum, of the one below and of the one below that.
    logic [23:0] lowest, middle;
    logic [15:0] highest;
    logic [1:0] under;
    assign lowest = sums[64*i+:24];
    if (i == 0) begin : g_first
      assign middle = last[47:24];
      assign highest = last_but_one;
      assign under = excess;
    end else begin : g_others
      assign middle = sums[64*(i-1)+24+:24];
      assign under = blocks[26*(i-1)+24+:2];
      if (i == 1) begin : g_second
        assign highest = last[63:48];
      end else begin : g_third
        assign highest = sums[64*(i-2)+48+:16];
      end
    end
    assign blocks[26*i+:26] = {2'b0, lowest} + {2'b0, middle} + {10'b0, highest};
    assign next_words[25*i+:25] = {1'b0, blocks[26*i+:24]} + {23'b0, under};
  end

  logic [15:0] generates, critical;
  logic [16:0] carries;
  for (genvar i = 0; i < 16; i++) begin : g_carries
    assign generates[i] = words[25*i+24];
    assign critical[i] = words[25*i+:25] == 25'h0FF_FFFF;
  end
  look_ahead all (
      .generates(generates),
      .critical(critical),
      .carry(carry),
      .carries(carries)
  );

  always_ff @(posedge clock) begin
    if (clear) begin
      last <= '0;
      last_but_one <= '0;
      excess <= '0;
      carry <= 1'b0;
    end else begin
      if (take) begin
        last <= sums[64*15+24+:40];
        last_but_one <= sums[64*14+48+:16];
        excess <= blocks[26*15+24+:2];
      end
      if (give) carry <= carries[16];
    end
    if (take) words <= next_words;
    if (give) begin
      for (int i = 0; i < 16; i++) begin
        digits[24*i+:24] <= words[25*i+:24] + {23'b0, carries[i]};
      end
    end
  end
endmodule
