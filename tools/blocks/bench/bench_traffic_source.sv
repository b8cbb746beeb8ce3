// SPDX-License-Identifier: BSD-3-Clause
//
// bench_traffic_source - simulation only: sends FRAMES frames of a bench_traffic_string after each reset.
//
// The excess bits of a last beat are whatever the string holds.
//
// Parameters: W, OTHER_W, UNIT, UNITS_MIN, UNITS_MAX  see bench_traffic_string
//             FRAMES   to send
//             STREAMS  frames are spread over them at random; the number is tdest
//             REAL     streams from here on lead nowhere and are counted in `strays`
//             ID       number of the source: it sends to stream s from generator 64 * ID + s
//             KEEP     bits of tdata for each bit of tkeep
//             OFFERED  1: `first` is when the first beat was offered: of a block that leaves it here meanwhile
`default_nettype none

module bench_traffic_source #(
    parameter int W         = 8,
    parameter int OTHER_W   = W,
    parameter int UNIT      = W,
    parameter int UNITS_MIN = 1,
    parameter int UNITS_MAX = UNITS_MIN,
    parameter int FRAMES    = 1,
    parameter int STREAMS   = 1,
    parameter int REAL      = STREAMS,
    parameter int ID        = 0,
    parameter int KEEP      = W,
    parameter bit OFFERED   = 0
) (
    input  wire                 aclk,
    input  wire                 aresetn,
    input  wire                 go,
    input  wire                 home,   // all frames go to stream ID modulo REAL
    input  wire  [31:0]         cycle,

    output logic [W-1:0]        m_axis_tdata,
    output logic [W/KEEP-1:0]   m_axis_tkeep,
    output logic                m_axis_tlast,
    output int                  m_axis_tdest,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready,

    output logic                done,   // the last beat was taken
    output int                  beats,  // of the frames begun
    output int                  strays, // frames begun to streams that lead nowhere
    output int                  first,  // cycle in which the first beat was taken, see OFFERED
    output int                  last    // and the last
);

    bench_traffic_string #(
        .W(W), .OTHER_W(OTHER_W), .UNIT(UNIT), .UNITS_MIN(UNITS_MIN), .UNITS_MAX(UNITS_MAX),
        .STREAMS(STREAMS), .FIRST(ID * 64)
    ) u_string ();

    int          at, left, frames, stream;
    logic [31:0] dice;

    initial begin
        m_axis_tvalid = 1'b0; m_axis_tlast = 1'b0; m_axis_tdata = '0; m_axis_tkeep = '1; m_axis_tdest = 0;
        done = 1'b0; beats = 0; strays = 0; first = 0; last = 0;
        at = 0; left = 0; frames = 0; stream = 0; dice = 32'(ID + 1) * 32'h9E3779B1;
    end

    always @(posedge aclk) begin
        if (!m_axis_tvalid || m_axis_tready) begin
            if (left == 0 && frames == 0) begin
                m_axis_tvalid <= 1'b0;
                if (m_axis_tvalid) begin
                    done <= 1'b1;
                    last <= cycle;
                end
            end else if (!go) begin
                m_axis_tvalid <= 1'b0;
            end else begin
                m_axis_tvalid <= 1'b1;
                if (left == 0) begin
                    if (STREAMS > 1) begin
                        dice   = dice * 32'd22695477 + 32'd1;
                        stream = home ? ID % REAL : int'((32'(dice[31:16]) * 32'(STREAMS)) >> 16);
                        if (stream >= REAL) strays <= strays + 1;
                    end
                    u_string.draw(stream);
                    at     = u_string.at;
                    left   = u_string.beats;
                    frames = frames - 1;
                    beats  <= beats + left;
                    m_axis_tdest <= stream;
                    m_axis_tlast <= 1'b0;
                    m_axis_tkeep <= '1;
                end
                m_axis_tdata <= u_string.mem[at];
                at   = at + 1;
                left = left - 1;
                if (left == 0) begin
                    m_axis_tlast <= 1'b1;
                    m_axis_tkeep <= ~({W/KEEP{1'b1}} << (u_string.bits / KEEP));
                end
            end
        end
        if (!aresetn) begin
            m_axis_tvalid <= 1'b0;
            done   <= 1'b0;
            beats  <= 0;
            strays <= 0;
            left   = 0;
            frames = FRAMES;
            u_string.restart;
        end
    end

    always begin
        wait (aresetn);
        @(posedge aclk);
        while (!(m_axis_tvalid && (OFFERED || m_axis_tready))) @(posedge aclk);
        first = cycle;
        wait (!aresetn);
    end

endmodule

`default_nettype wire
