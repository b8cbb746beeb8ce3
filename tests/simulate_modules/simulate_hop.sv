// SPDX-License-Identifier: BSD-3-Clause
//
// simulate_hop - for blocks.py: source, gate, monitor, TCP hop and sink in a row, at one pair of widths.
`default_nettype none

module simulate_hop #(
    parameter int S_W   = 64,
    parameter int M_W   = 128,
    parameter int INDEX = 0
) (
    input  wire        aclk,
    input  wire        aresetn,
    input  wire        start,
    input  wire        dump,
    input  wire [31:0] frames,
    input  wire [7:0]  stall,
    input  wire        mask_tlast,
    input  wire [2:0]  inject_kind,
    input  wire [31:0] inject_beat,
    output wire        done,
    output wire        dumped,
    output wire        dma_int_err,
    output wire [31:0] sent,
    output wire [31:0] frames_in,
    output wire [31:0] frames_out,
    output wire [31:0] bytes,
    output wire [31:0] count,
    output reg         noisy  // the gate has shown other bits than it got, with tvalid low
);
    localparam int FRAME_BYTES = 53;
    localparam int LOT         = 1 << 10;  // a few beats, so that there are many lots
    localparam logic [7:0] DIGIT = 8'd48 + 8'(INDEX);

    wire [S_W-1:0]   s_tdata;
    wire [S_W/8-1:0] s_tkeep;
    wire             s_tlast, s_tvalid, s_tready;
    wire [S_W-1:0]   g_tdata;
    wire [S_W/8-1:0] g_tkeep;
    wire             g_tlast, g_tvalid, g_tready;
    wire [M_W-1:0]   m_tdata;
    wire [M_W/8-1:0] m_tkeep;
    wire             m_tlast, m_tvalid, m_tready;
    wire [31:0]      watched, watched_last, taken_last;
    wire             sink_dumped, monitor_dumped;
    wire             unused = &{1'b0, watched, watched_last, taken_last};

    assign dumped = sink_dumped && monitor_dumped;

    axis_source #(
        .DATA_W(S_W), .FRAME_BYTES(FRAME_BYTES), .DEPTH(2048), .FILE({"in_", DIGIT}), .SEED(INDEX),
        .LOT(LOT)
    ) u_source (
        .aclk(aclk), .aresetn(aresetn), .start(start), .restart(1'b0), .frames(frames), .stall(stall),
        .m_axis_tdata(s_tdata), .m_axis_tkeep(s_tkeep), .m_axis_tlast(s_tlast),
        .m_axis_tvalid(s_tvalid), .m_axis_tready(s_tready), .done(done), .beats(sent)
    );
    axis_gate #(.DATA_W(S_W + S_W / 8 + 1), .SEED(30 + INDEX)) u_gate (
        .aclk(aclk), .aresetn(aresetn), .chance(stall),
        .s_axis_tdata({s_tlast, s_tkeep, s_tdata}), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata({g_tlast, g_tkeep, g_tdata}), .m_axis_tvalid(g_tvalid), .m_axis_tready(g_tready)
    );
    reg                     waits_q;
    reg [S_W + S_W / 8:0]   beat_q;
    always @(posedge aclk) begin
        waits_q <= aresetn && g_tvalid && !g_tready;
        beat_q  <= {g_tlast, g_tkeep, g_tdata};
        if (waits_q && aresetn && !(g_tvalid && {g_tlast, g_tkeep, g_tdata} == beat_q))
            $fatal(1, "axis_gate %m: what it had offered was withdrawn or changed");
        if (!aresetn) noisy <= 1'b0;
        else if (!g_tvalid && g_tdata != s_tdata) noisy <= 1'b1;
    end
    axis_monitor #(.DATA_W(S_W), .DEPTH(2048), .FILE({"watched_", DIGIT}), .LOT(LOT)) u_monitor (
        .aclk(aclk), .aresetn(aresetn), .dump(dump),
        .s_axis_tdata(g_tdata), .s_axis_tvalid(g_tvalid), .s_axis_tready(g_tready),
        .now(32'd0), .count(watched), .last(watched_last), .dumped(monitor_dumped)
    );
    tcp_link #(
        .S_W(S_W), .M_W(M_W), .LENGTH(FRAME_BYTES), .DEPTH_BYTES(512), .SEED(10 + INDEX)
    ) u_link (
        .aresetn(aresetn), .s_aclk(aclk), .s_aresetn(1'b1), .m_aclk(aclk), .m_aresetn(1'b1), .frames_in(16'd1),
        .frames_out(16'd1), .rearm(16'd4), .latency(16'd0), .stall_in(stall), .stall_out(stall),
        .inject_kind(inject_kind), .inject_beat(inject_beat),
        .s_axis_tdata(g_tdata), .s_axis_tkeep(g_tkeep), .s_axis_tlast(g_tlast && !mask_tlast),
        .s_axis_tvalid(g_tvalid), .s_axis_tready(g_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .packets_in(frames_in), .packets_out(frames_out), .bytes(bytes), .dma_int_err(dma_int_err)
    );
    axis_sink #(
        .DATA_W(M_W), .DEPTH(`SINK_DEPTH), .FILE({"out_", DIGIT}), .SEED(20 + INDEX), .LOT(LOT)
    ) u_sink (
        .aclk(aclk), .aresetn(aresetn), .dump(dump), .stall(stall),
        .s_axis_tdata(m_tdata), .s_axis_tkeep(m_tkeep), .s_axis_tlast(m_tlast),
        .s_axis_tvalid(m_tvalid), .s_axis_tready(m_tready), .now(32'd0), .count(count),
        .last(taken_last), .dumped(sink_dumped)
    );
endmodule

`default_nettype wire
