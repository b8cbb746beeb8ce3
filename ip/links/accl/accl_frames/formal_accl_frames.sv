// SPDX-License-Identifier: BSD-3-Clause
//
// formal_accl_frames - the proof of accl_frames, drained and reset at any time, TLAST anywhere.
//
// A beat is owed if the block was neither drained nor held since its frame began. What leaves between two resets of the
// link is what was owed since the first, in order, in whole frames; in a reset every beat is taken at once.
`default_nettype none

module formal_accl_frames #(
    parameter int BEATS  = 3,
    parameter int DATA_W = 1,
    parameter int STALL  = 2
) (
    input wire              aclk,
    input wire              aresetn,
    input wire              link_aresetn,
    input wire              drain,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire              s_axis_tlast,
    input wire              s_axis_tvalid,
    input wire              m_axis_tready
);

    localparam int COUNT_W = $clog2(BEATS + 1);

    wire              s_axis_tready, m_axis_tvalid, drained, frame_done, torn;
    wire [DATA_W-1:0] m_axis_tdata;
    wire [1:0]        held;

    accl_frames #(.BEATS(BEATS), .DATA_W(DATA_W)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn), .drain(drain), .drained(drained),
        .s_axis_tdata(s_axis_tdata), .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .frame_done(frame_done), .torn(torn)
    );

    logic [COUNT_W-1:0] in_q, out_q;   // place in a frame
    logic               touched_q, torn_q, done_q, up_q, again_q, drain_q;

    wire s_fire  = s_axis_tvalid && s_axis_tready;
    wire m_fire  = m_axis_tvalid && m_axis_tready;
    wire in_last = in_q == COUNT_W'(BEATS - 1);
    wire out_last = out_q == COUNT_W'(BEATS - 1);
    wire dead    = drain || !link_aresetn;
    wire touched = touched_q || (dead && (s_fire || in_q != '0));

    always_comb begin
        if (!aresetn) assume (!link_aresetn);
        // As shell_reset does it: draining ends in a reset.
        if (aresetn && drain_q) assume (drain || !link_aresetn);
    end

    always_ff @(posedge aclk) begin
        up_q    <= aresetn;
        again_q <= link_aresetn;
        drain_q <= drain && aresetn;
        if (s_fire) in_q <= in_last ? '0 : in_q + 1'b1;
        touched_q <= touched && !(s_fire && in_last);
        torn_q    <= s_fire && in_last && !s_axis_tlast;
        done_q    <= m_fire && out_last;
        if (m_fire) out_q <= out_last ? '0 : out_q + 1'b1;
        if (!link_aresetn) begin
            out_q  <= '0;
            done_q <= 1'b0;
        end
        if (!aresetn) begin
            in_q      <= '0;
            touched_q <= 1'b0;
            torn_q    <= 1'b0;
        end
    end

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    formal_source #(.DATA_W(DATA_W + 1), .WITHIN(STALL + 2)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1),
        .tdata({s_axis_tlast, s_axis_tdata}), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );
    // Beats that wait are withdrawn with the partitions' reset, as everywhere in a core.
    formal_sink #(.DATA_W(DATA_W), .STALL(STALL), .WITHIN(STALL + 1)) u_sink (
        .aclk(aclk), .aresetn(link_aresetn), .pending(held != '0),
        .tdata(m_axis_tdata), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );
    formal_track #(.UNIT(DATA_W), .CAPACITY(1)) u_track (
        .aclk(aclk), .aresetn(link_aresetn),
        .in_data(s_axis_tdata), .in_units(!touched), .in_fire(s_fire),
        .out_data(m_axis_tdata), .out_units(1'b1), .out_valid(m_axis_tvalid), .out_fire(m_fire),
        .held(held)
    );

    always_comb if (aresetn) begin
        pulse_torn: assert (torn == torn_q);
        pulse_done: assert (frame_done == done_q);
        emptied:    assert (drained == drain);
        takes:      assert (!dead || !up_q || s_axis_tready);
        // A frame that was cut and one after it that came out whole.
        cut:        cover (BEATS == 1 ? dead && s_fire : touched_q && !dead && s_fire);
        after:      cover (frame_done && !dead && again_q && up_q);
    end

endmodule

`default_nettype wire
