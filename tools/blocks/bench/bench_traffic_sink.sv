// SPDX-License-Identifier: BSD-3-Clause
//
// bench_traffic_sink - simulation only: takes frames and compares every bit with a bench_traffic_string.
//
// Bits of a last beat beyond the frame must be zero. tid is looked at in the first beat and must not change within
// a frame. axis_checker watches the stream. Compiled with BENCH_FAULT the stream goes through bench_traffic_fault
// first, which shows that a fault of the block would be found.
//
// Parameters: W, OTHER_W, UNIT, UNITS_MIN, UNITS_MAX  see bench_traffic_string
//             STREAMS  how many sources a frame may come from; the number is tid
//             ID       number of the sink: what source i sends to it is from generator 64 * i + ID
//             FIX      beats that every frame has here: cut off, or filled with zero beats; 0: as many as were sent
//             LAST     1 when tlast is to be compared with the frame, 2 when it must be 0
//             KEEP     bits of tdata for each bit of tkeep; W when there is no tkeep
`default_nettype none

module bench_traffic_sink #(
    parameter int W         = 8,
    parameter int OTHER_W   = W,
    parameter int UNIT      = W,
    parameter int UNITS_MIN = 1,
    parameter int UNITS_MAX = UNITS_MIN,
    parameter int STREAMS   = 1,
    parameter int ID        = 0,
    parameter int FIX       = 0,
    parameter int LAST      = 1,
    parameter int KEEP      = W
) (
    input  wire                 aclk,
    input  wire                 aresetn,
    input  wire                 go,
    input  wire  [31:0]         cycle,

    input  wire  [W-1:0]        s_axis_tdata,
    input  wire  [W/KEEP-1:0]   s_axis_tkeep,
    input  wire                 s_axis_tlast,
    input  wire  [31:0]         s_axis_tid,
    input  wire                 s_axis_tvalid,
    output wire                 s_axis_tready,

    output int                  frames,  // complete
    output int                  beats,   // of these
    output int                  first,   // cycle in which the first beat was taken
    output int                  last,    // and the last of a complete frame
    output int                  gaps     // cycles between these in which no beat was offered though one was wanted
);

    localparam bit KEEP_EN = KEEP < W;

    bench_traffic_string #(
        .W(W), .OTHER_W(OTHER_W), .UNIT(UNIT), .UNITS_MIN(UNITS_MIN), .UNITS_MAX(UNITS_MAX),
        .STREAMS(STREAMS), .FIRST(ID), .STEP(64)
    ) u_string ();

    wire [W-1:0] tdata;
    wire         tlast, tvalid;
    logic        tready;
`ifdef BENCH_FAULT
    bench_traffic_fault #(.W(W)) u_fault (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(tdata), .m_axis_tlast(tlast), .m_axis_tvalid(tvalid), .m_axis_tready(tready)
    );
`else
    assign tdata  = s_axis_tdata;
    assign tlast  = s_axis_tlast;
    assign tvalid = s_axis_tvalid;
    assign s_axis_tready = tready;
`endif

    logic [W-1:0]       expected;
    logic [W/KEEP-1:0]  keep;
    int                 at, left, stream, idle;

    initial begin
        tready = 1'b0;
        frames = 0; beats = 0; first = 0; last = 0; gaps = 0;
        idle = 0; at = 0; left = 0; stream = 0;
    end

    always @(posedge aclk) begin
        if (tvalid && tready) begin
            if (left == 0) begin
                if (STREAMS > 1) begin
                    stream = s_axis_tid;
                    if (stream < 0 || stream >= STREAMS) $fatal(1, "frame %0d: tid is %0d (%m)", frames, stream);
                end
                u_string.draw(stream);
                at   = u_string.at;
                left = FIX != 0 ? FIX : u_string.beats;
            end
            if (STREAMS > 1 && s_axis_tid !== stream)
                $fatal(1, "frame %0d: tid changes from %0d to %0d (%m)", frames, stream, s_axis_tid);
            expected = u_string.mem[at];
            if (FIX != 0 && FIX - left >= u_string.beats) expected = '0;
            at   = at + 1;
            left = left - 1;
            if (left == 0) begin
                if (FIX == 0) expected = expected & ~({W{1'b1}} << u_string.bits);
                if (LAST == 1 && tlast !== 1'b1)
                    $fatal(1, "frame %0d: no tlast at its end (%m)", frames);
                if (LAST == 2 && tlast !== 1'b0) $fatal(1, "frame %0d: tlast (%m)", frames);
                keep = ~({W/KEEP{1'b1}} << (u_string.bits / KEEP));
                if (KEEP_EN && s_axis_tkeep !== keep)
                    $fatal(1, "frame %0d: tkeep is %b, expected %b (%m)", frames, s_axis_tkeep, keep);
                frames <= frames + 1;
                beats  <= beats + (FIX != 0 ? FIX : u_string.beats);
                last   <= cycle;
                gaps   <= idle;
            end else begin
                if (LAST != 0 && tlast !== 1'b0)
                    $fatal(1, "frame %0d: tlast %0d beats early (%m)", frames, left);
                if (KEEP_EN && s_axis_tkeep !== '1)
                    $fatal(1, "frame %0d: tkeep is %b before the last beat (%m)", frames, s_axis_tkeep);
            end
            if (tdata !== expected)
                $fatal(1, "frame %0d, %0d beats before its end: got %h, expected %h (%m)",
                       frames, left, tdata, expected);
        end else if (tready && (left != 0 || frames != 0)) idle = idle + 1;
        tready <= go;
        if (!aresetn) begin
            tready <= 1'b0;
            frames <= 0;
            beats  <= 0;
            gaps   <= 0;
            idle   = 0;
            left   = 0;
            u_string.restart;
        end
    end

    always begin
        wait (aresetn);
        @(posedge aclk);
        while (!(tvalid && tready)) @(posedge aclk);
        first = cycle;
        wait (!aresetn);
    end

    axis_checker #(.DATA_W(W + 1), .NAME("m_axis")) u_check (
        .aclk(aclk), .aresetn(aresetn),
        .axis_tdata({LAST != 0 && tlast, tdata}), .axis_tvalid(tvalid), .axis_tready(tready)
    );

endmodule

`default_nettype wire
