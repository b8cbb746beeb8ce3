// SPDX-License-Identifier: BSD-3-Clause
//
// aurora_lane - simulation only: one direction of a lane with flow control, from the pins of one core to those of another.
//
// Beats arrive in order, LATENCY cycles of the sender after they left at the earliest. The FIFOs of both boards hold
// DEPTH beats; what is under way when the far end says stop has room there, so nothing is lost. `up` is low while one
// of the boards is in reset: the channel is down, and what is in it is gone.
`default_nettype none

module aurora_lane #(
    parameter int BEAT_W  = 73,
    parameter int DEPTH   = 4096,
    parameter int LATENCY = 40,
    parameter int SEED    = 1
) (
    input  wire              s_aclk,
    input  wire              m_aclk,
    input  wire              up,
    input  wire [7:0]        stall_in,
    input  wire [7:0]        stall_out,
    input  wire [BEAT_W-1:0] s_axis_tdata,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    output wire [BEAT_W-1:0] m_axis_tdata,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready
);
    logic [BEAT_W-1:0]  store[0:DEPTH-1];
    logic [31:0]        write_q, read_q;
    logic [LATENCY-1:0] moved_q;  // beats of the last cycles, the newest lowest
    logic [31:0]        there_q;  // beats that have arrived
    wire                pause_in, pause_out;
    logic               offered_q;

    bench_stall #(
        .SEED(SEED)
    ) u_in (
        .aclk(s_aclk),
        .aresetn(up),
        .chance(stall_in),
        .stall(pause_in)
    );
    bench_stall #(
        .SEED(SEED + 1)
    ) u_out (
        .aclk(m_aclk),
        .aresetn(up),
        .chance(stall_out),
        .stall(pause_out)
    );

    wire take = s_axis_tvalid && s_axis_tready;
    assign s_axis_tready = up && write_q - read_q < DEPTH && !pause_in;

    always @(posedge s_aclk) begin
        if (take) store[write_q%DEPTH] <= s_axis_tdata;
        write_q <= write_q + 32'(take);
        moved_q <= {moved_q[LATENCY-2:0], take};
        there_q <= there_q + 32'(moved_q[LATENCY-1]);
        if (!up) begin
            write_q <= 32'd0;
            moved_q <= '0;
            there_q <= 32'd0;
        end
    end

    // a beat that has been offered stays
    assign m_axis_tdata  = store[read_q%DEPTH];
    assign m_axis_tvalid = up && read_q != there_q && (offered_q || !pause_out);

    always @(posedge m_aclk) begin
        offered_q <= m_axis_tvalid && !m_axis_tready;
        if (m_axis_tvalid && m_axis_tready) read_q <= read_q + 32'd1;
        if (!up) begin
            read_q    <= 32'd0;
            offered_q <= 1'b0;
        end
    end
endmodule

`default_nettype wire
