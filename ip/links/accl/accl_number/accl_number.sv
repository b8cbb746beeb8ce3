// SPDX-License-Identifier: BSD-3-Clause
//
// accl_number - puts the number of a frame into its put: a beat in front of the frame and one behind it.
//
// A put is BEATS + 2 beats. Bit 33 of the first is high, bits 31:0 are the number, and bit 32 says that the put holds no
// frame: then the number is the least that can follow, and the beats in the place of the frame are zeros. Bit 0 of the last
// beat says that the frame is what it should be. accl_gate fills a put with zeros in a reset, so a put that is cut says that it
// is not.
//
// A put without a frame follows when the next number is another one than the receiver expects: after a reset, and where frames
// were lost before. So the receiver learns of frames that will never come even if nothing follows them. None is in front of
// the first number of an epoch, since no frame of it can be missing.
//
// Behind it accl_gate counts puts, and frame_done is its pulse for those that have a frame.
//
// number is that of axis_frame_label: held from a frame's first beat to its last, between frames the least of the next one.
//
// Throughput  one beat per cycle, 3 cycles more for each frame
// Latency     2 cycles, of which the first beat takes one
// Paths       from s_axis_tvalid and s_axis_tdata to m_axis, and from m_axis_tready to s_axis_tready
// Resources   about 84 LUT and 81 FF, and a LUT for each bit of a beat
//
// Parameters: BEATS   beats of a frame, 1 or more
//             DATA_W  bits of a beat, 34 or more
// Checked by: test_accl_number.py
`default_nettype none

module accl_number #(
    parameter int BEATS  = 1,
    parameter int DATA_W = 512
) (
    input  wire               aclk,
    input  wire               aresetn,

    input  wire  [31:0]       number,
    input  wire               number_known,
    input  wire               taint,          // with the last beat of a frame

    input  wire  [DATA_W-1:0] s_axis_tdata,
    input  wire               s_axis_tvalid,
    output logic              s_axis_tready,

    output logic [DATA_W-1:0] m_axis_tdata,
    output logic              m_axis_tlast,
    output logic              m_axis_tvalid,
    input  wire               m_axis_tready,

    input  wire               out_fire,       // accl_gate takes a beat
    input  wire               out_void,       // bit 32 of it
    input  wire               out_last,       // it is the last of its put
    input  wire               put_done,       // frame_done of accl_gate
    output logic              frame_done      // the put had a frame
);

    localparam int COUNT_W = BEATS > 1 ? $clog2(BEATS) : 1;
    localparam logic [COUNT_W-1:0] COUNT_LAST = COUNT_W'(BEATS - 1);

    generate
        if (BEATS < 1) begin : g_check_beats
            BEATS_must_be_at_least_1 parameter_error();
        end
        if (DATA_W < 34) begin : g_check_data_w
            DATA_W_must_be_at_least_34 parameter_error();
        end
    endgenerate

    logic               head_q, data_q, tail_q;  // the beat that is offered; none of them: between puts
    logic               void_q;                  // the put has no frame
    logic               taint_q;
    logic [31:0]        number_q;
    logic [COUNT_W-1:0] count_q;
    logic               last_q;                  // the next beat of the frame is its last
    logic [31:0]        told_q;                  // what the receiver expects next
    logic               known_q;                 // it has got a number since the reset
    logic               first_q, gone_q;         // at accl_gate: the next beat begins a put; the last put had no frame

    wire idle  = !head_q && !data_q && !tail_q;
    wire news  = number_known && number[23:0] != '0 && (!known_q || number != told_q);
    wire fire  = m_axis_tvalid && m_axis_tready;
    wire [COUNT_W-1:0] count = last_q ? '0 : count_q + 1'b1;

    assign frame_done    = put_done && !gone_q;
    assign m_axis_tvalid = head_q || tail_q || (data_q && (void_q || s_axis_tvalid));
    assign m_axis_tlast  = tail_q;
    assign s_axis_tready = data_q && !void_q && m_axis_tready;

    always_comb begin
        m_axis_tdata = '0;
        if (head_q)                 m_axis_tdata[33:0] = {1'b1, void_q, number_q};
        else if (tail_q)            m_axis_tdata[0]    = !taint_q;
        else if (data_q && !void_q) m_axis_tdata       = s_axis_tdata;
    end

    always_ff @(posedge aclk) begin
        if (idle) begin
            head_q   <= s_axis_tvalid || news;
            void_q   <= !s_axis_tvalid;
            number_q <= number;
        end else if (fire) begin
            head_q <= 1'b0;
            data_q <= head_q || (data_q && !last_q);
            tail_q <= data_q && last_q;
        end
        if (fire && data_q) begin
            count_q <= count;
            last_q  <= count == COUNT_LAST;
            taint_q <= taint && !void_q;
        end
        if (fire && tail_q) begin
            told_q  <= {number_q[31:24], void_q ? number_q[23:0] : number_q[23:0] + 1'b1};
            known_q <= 1'b1;
        end

        if (out_fire) first_q <= out_last;
        if (out_fire && first_q) gone_q <= out_void;

        if (!aresetn) begin
            first_q <= 1'b1;
            head_q  <= 1'b0;
            data_q  <= 1'b0;
            tail_q  <= 1'b0;
            count_q <= '0;
            last_q  <= BEATS == 1;
            known_q <= 1'b0;
        end
    end

endmodule

`default_nettype wire
