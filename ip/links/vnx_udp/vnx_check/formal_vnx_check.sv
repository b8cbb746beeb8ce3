// SPDX-License-Identifier: BSD-3-Clause
//
// formal_vnx_check - the proof of vnx_check, whatever comes and whatever crc32c makes of it.
//
// Beats leave LATENCY cycles after they came, none more and none less, with what is not kept as zeros. The verdict is that
// of a model, which looks at what came: every condition of the header comment, with the checksum that crc32c says. What
// crc32c is given is the beats that leave, but for the field of the checksum. (That it makes a CRC of them is linear
// algebra: tb_crc32c goes through a basis.) Asserted:
//   beat     each beat leaves, after LATENCY cycles, and no other
//   order    an arbitrary bit of it is as it came, or 0 where its byte is not kept
//   covered  and so it is where crc32c sees it, but for the field
//   verdict  tuser, received and bad are those of the model
`default_nettype none

module formal_vnx_check #(
    parameter int DATA_W     = 64,
    parameter int DEST_W     = 1,
    parameter int MOST_BEATS = 3
) (
    input wire                aclk,
    input wire                aresetn,
    input wire [DATA_W-1:0]   s_axis_tdata,
    input wire [DATA_W/8-1:0] s_axis_tkeep,
    input wire [DEST_W-1:0]   s_axis_tdest,
    input wire                s_axis_tlast,
    input wire                s_axis_tvalid
);

    localparam int LATENCY = 6;
    localparam int KEEP_W  = DATA_W / 8;
    localparam int BIT_W   = $clog2(DATA_W);

    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam int BIT_MAGIC = 0;
    localparam int BITS_MAGIC = 16;
    localparam logic [15:0] IS_MAGIC = 16'h4753;
    localparam int BIT_VERSION = 16;
    localparam int BITS_VERSION = 8;
    localparam logic [7:0] IS_VERSION = 8'h03;
    localparam int BIT_KIND = 24;
    localparam int BITS_KIND = 4;
    localparam int BIT_CRC = 32;
    localparam int BITS_CRC = 32;
    localparam logic [3:0] KIND_HELLO = 4'd1;

    wire                s_axis_tready, m_axis_tlast, m_axis_tuser, m_axis_tvalid, received, bad;
    wire [DATA_W-1:0]   m_axis_tdata;
    wire [KEEP_W-1:0]   m_axis_tkeep;
    wire [DEST_W-1:0]   m_axis_tdest;

    vnx_check #(.DATA_W(DATA_W), .DEST_W(DEST_W), .MOST_BEATS(MOST_BEATS)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tdest(s_axis_tdest),
        .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tdest(m_axis_tdest),
        .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser), .m_axis_tvalid(m_axis_tvalid),
        .received(received), .bad(bad)
    );

    // Inside the block.
    wire [DATA_W-1:0] d_data;
    wire [31:0]       d_seal, d_crc;
    wire              d_last, d_valid, d_first, d_wrong;
    wire [$clog2(MOST_BEATS+1)-1:0] d_rest;

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    (* anyconst *) logic [BIT_W-1:0] which;

    // ---- the model: a packet so far, then a delay

    logic        first_q, fair_q;
    logic [31:0] seal_q;
    logic [15:0] count_q;

    wire contiguous = s_axis_tkeep[0] && (s_axis_tkeep & (s_axis_tkeep + KEEP_W'(1))) == '0;
    wire ours = s_axis_tdata[BIT_MAGIC +: BITS_MAGIC] == IS_MAGIC
             && (s_axis_tdata[BIT_VERSION +: BITS_VERSION] == IS_VERSION
                 || s_axis_tdata[BIT_KIND +: BITS_KIND] == KIND_HELLO);
    wire fair = (first_q ? ours : fair_q) && contiguous && (s_axis_tlast || s_axis_tkeep == '1)
             && 32'(first_q ? 16'd0 : count_q) < MOST_BEATS;
    wire [31:0] seal = first_q ? s_axis_tdata[BIT_CRC +: BITS_CRC] : seal_q;
    wire        mine = s_axis_tdata[which] && s_axis_tkeep[which / 8];
    wire        field = first_q && 32'(which) >= BIT_CRC && 32'(which) < BIT_CRC + BITS_CRC;

    logic [LATENCY:1] valid_q, last_q, fair_p_q, mine_q;
    logic             field_q, wrong_q;
    logic [15:0]      rest_q;
    logic [31:0]      seal_p_q [1:LATENCY];
    logic [DEST_W:0]  side_q   [1:LATENCY];
    logic [31:0]      crc_q;

    always_ff @(posedge aclk) begin
        if (s_axis_tvalid) begin
            first_q <= s_axis_tlast;
            fair_q  <= fair;
            seal_q  <= seal;
            if (first_q || 32'(count_q) < MOST_BEATS) count_q <= first_q ? 16'd1 : count_q + 16'd1;
        end
        valid_q  <= {valid_q[LATENCY-1:1], s_axis_tvalid};
        last_q   <= {last_q[LATENCY-1:1], s_axis_tlast};
        fair_p_q <= {fair_p_q[LATENCY-1:1], fair};
        mine_q   <= {mine_q[LATENCY-1:1], mine};
        field_q  <= field;
        seal_p_q[1] <= seal;
        side_q[1]   <= {s_axis_tkeep[which / 8], s_axis_tdest};
        for (int k = 2; k <= LATENCY; k++) begin
            seal_p_q[k] <= seal_p_q[k-1];
            side_q[k]   <= side_q[k-1];
        end
        crc_q   <= d_crc;
        wrong_q <= !first_q && !fair_q;
        rest_q  <= 16'(MOST_BEATS) - (first_q ? 16'd0 : count_q);
        if (!aresetn) begin
            first_q <= 1'b1;
            valid_q <= '0;
            wrong_q <= 1'b0;
            rest_q  <= 16'(MOST_BEATS);
        end
    end

    wire good = fair_p_q[LATENCY] && crc_q == seal_p_q[LATENCY];

    always_comb if (aresetn) begin
        ready:  assert (s_axis_tready);
        beat:   assert (m_axis_tvalid == valid_q[LATENCY]);
        if (m_axis_tvalid) begin
            order: assert ({m_axis_tlast, m_axis_tdata[which], m_axis_tkeep[which / 8], m_axis_tdest}
                           == {last_q[LATENCY], mine_q[LATENCY], side_q[LATENCY]});
        end
        covered: assert (d_valid == valid_q[1] && (!d_valid || {d_last, d_data[which]} == {last_q[1], mine_q[1] && !field_q}));
        verdict: assert ({received, bad, m_axis_tuser}
                         == ({3{valid_q[LATENCY] && last_q[LATENCY]}} & {good, !good, good}));
        // What holds for longer than a beat takes through the block.
        held:   assert (d_first == first_q);
        held_seal:  assert (first_q || d_seal == seal_q);
        held_wrong: assert (d_wrong == wrong_q && 16'(d_rest) == rest_q);
        held_count: assert (first_q || (count_q != '0 && 32'(count_q) <= MOST_BEATS));
    end

    always_comb begin
        can_be_good: cover (received);
        can_be_bad:  cover (bad && fair_p_q[LATENCY]);
        can_be_long: cover (bad && count_q == 16'(MOST_BEATS));
    end

endmodule

`default_nettype wire
