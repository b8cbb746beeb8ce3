// SPDX-License-Identifier: BSD-3-Clause
//
// speed_top - benchmark only: the chain between source and sink, or between ports that Python drives.
`default_nettype none

module speed_top #(
    parameter int W     = `SPEED_W,
    parameter int BEATS = `SPEED_BEATS,
    parameter int DEPTH = `SPEED_DEPTH
) (
    input  wire         aresetn,
    input  wire         by_ports,  // 1: s_axis and m_axis below; 0: source and sink
    input  wire         start,
    input  wire         dump,
    input  wire [31:0]  frames,
    output wire [31:0]  count,
    output wire         dumped,
    output reg          arrived,   // frames * BEATS beats have left the chain
    input  wire [W-1:0] s_axis_tdata,
    input  wire         s_axis_tvalid,
    input  wire         s_axis_tlast,
    output wire         s_axis_tready,
    output wire [W-1:0] m_axis_tdata,
    output wire         m_axis_tlast,
    output wire         m_axis_tvalid,
    input  wire         m_axis_tready,
    output wire         aclk
);
    wire [W-1:0] source_tdata;
    wire         source_tvalid, chain_tready, chain_tvalid, chain_tlast, sink_tready;
    wire [W-1:0] chain_tdata;
    wire [W/8-1:0] source_tkeep;
    wire         source_tlast, source_done;
    wire [31:0]  source_beats, last;
    // The chain makes its own tlast.
    wire         unused = &{1'b0, s_axis_tlast, source_tkeep, source_tlast, source_done, source_beats, last};

    bench_clock #(.HALF_PS(5000)) u_clock (.clk(aclk));

    axis_source #(
        .DATA_W(W), .FRAME_BYTES(BEATS * W / 8), .DEPTH(DEPTH), .FILE("in.bin"), .SEED(1)
    ) u_source (
        .aclk(aclk), .aresetn(aresetn), .start(start), .restart(1'b0), .frames(frames), .stall(8'd0),
        .m_axis_tdata(source_tdata), .m_axis_tkeep(source_tkeep), .m_axis_tlast(source_tlast),
        .m_axis_tvalid(source_tvalid), .m_axis_tready(chain_tready && !by_ports),
        .done(source_done), .beats(source_beats)
    );
    speed_chain #(.W(W), .BEATS(BEATS)) u_chain (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(by_ports ? s_axis_tdata : source_tdata),
        .s_axis_tvalid(by_ports ? s_axis_tvalid : source_tvalid),
        .s_axis_tready(chain_tready),
        .m_axis_tdata(chain_tdata), .m_axis_tlast(chain_tlast),
        .m_axis_tvalid(chain_tvalid), .m_axis_tready(by_ports ? m_axis_tready : sink_tready)
    );
    axis_sink #(
        .DATA_W(W), .DEPTH(DEPTH), .FILE("out.bin"), .SEED(2)
    ) u_sink (
        .aclk(aclk), .aresetn(aresetn), .dump(dump), .stall(8'd0),
        .s_axis_tdata(chain_tdata), .s_axis_tkeep({W / 8{1'b1}}), .s_axis_tlast(chain_tlast),
        .s_axis_tvalid(chain_tvalid && !by_ports), .s_axis_tready(sink_tready),
        .now(32'd0), .count(count), .last(last), .dumped(dumped)
    );

    assign s_axis_tready = chain_tready && by_ports;
    assign m_axis_tdata  = chain_tdata;
    assign m_axis_tlast  = chain_tlast;
    assign m_axis_tvalid = chain_tvalid && by_ports;

    always @(posedge aclk) arrived <= aresetn && start && count == frames * BEATS;
endmodule

`default_nettype wire
