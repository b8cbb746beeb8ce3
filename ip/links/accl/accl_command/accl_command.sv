// SPDX-License-Identifier: BSD-3-Clause
//
// accl_command - tells ACCL's engine of one frame after the other, of N streams to other ranks: a put at a time.
//
// A put is a command of 15 words, then the frame's beats through accl_gate, then one status word of the engine. A
// command is begun only for a frame that waits (`request`), and the next one only when the status has come and the
// last beat has gone (`sent`), so the engine never waits for data that nobody has, and no beats come between those of a
// frame. Ends that wait are served in turn. What has been begun is brought to its end, also with `hold` or without
// `enable`; `idle` says that nothing is under way.
//
// A send from stream to stream (ACCL's accl_hls.h, stream_put):
//
//   word   0         1           2             3     4         5       6           7            8      9 to 14
//   what   scenario  count       communicator  rank  function  tag     arithmetic  compression  flags  addresses
//   value  3         of 32 bits  its address   to    0         stream  its address 0            3      0
//
// Words are read from the inputs as they are sent, so these must not change while there is `enable`.
//
// Throughput  a word per cycle; 18 cycles of a put are its own, all others are the engine's and the data's
// Latency     2 cycles from `request` to the first word, 1 from the last word to the grant
// Paths       m_axis and the pulses are flops, the other outputs one or two LUTs behind flops; every input ends in flops
// Resources   182 LUT and 113 FF for one end, about 37 LUT and a FF for each further one
//
// done pulses when the status of a put has come; refused with it if that is not 0, the word being `status` until the
// next. late pulses once in a put that has lasted `watchdog` cycles, stray for a status that no put waits for.
//
// Parameters: N  ends, 1 to 16
// Checked by: test_accl_command.py
`default_nettype none

module accl_command #(
    parameter int N = 1
) (
    input  wire              aclk,
    input  wire              aresetn,

    input  wire              enable,
    input  wire              hold,           // begin nothing; high wherever drain or a reset is at the gates
    output logic             idle,

    input  wire  [31:0]      communicator,   // addresses in the engine's memory
    input  wire  [31:0]      arithmetic,
    input  wire  [31:0]      watchdog,       // cycles of a put, 0: any number
    input  wire  [32*N-1:0]  count,          // of each end: 32-bit elements of a frame
    input  wire  [16*N-1:0]  rank,           // the rank that it goes to
    input  wire  [8*N-1:0]   stream,         // the number that its beats have there

    input  wire  [N-1:0]     request,        // of accl_gate, as the next two
    output logic [N-1:0]     chosen,
    output logic [N-1:0]     grant,
    input  wire              sent,           // the engine takes the last beat of the frame

    output logic [31:0]      m_axis_tdata,
    output logic [3:0]       m_axis_tkeep,
    output logic             m_axis_tlast,
    output logic             m_axis_tvalid,
    input  wire              m_axis_tready,

    input  wire  [31:0]      s_axis_tdata,
    input  wire              s_axis_tvalid,
    output logic             s_axis_tready,

    output logic [1:0]       stage,          // 0 idle, 1 command, 2 data, 3 waits for the status alone
    output logic [3:0]       which,          // the end of the put under way, or of the last one
    output logic             done,
    output logic             late,
    output logic             stray,
    output logic             refused,
    output logic [31:0]      status
);

    generate
        if (N < 1 || N > 16) begin : g_check_n
            N_must_be_1_to_16 parameter_error();
        end
    endgenerate

    localparam logic [31:0] SEND          = 32'd3;
    localparam logic [31:0] BOTH_STREAMED = 32'd3;  // operand and result
    localparam logic [3:0]  LAST_WORD     = 4'd14;

    logic [N-1:0] chosen_q;                   // one-hot
    logic [3:0]   word_q;                     // the next one to be sent
    logic         load_q;                     // there is one
    logic         command_q, data_q, wait_q;  // words, beats, the status are outstanding
    logic         up_q;

    wire free  = !m_axis_tvalid || m_axis_tready;
    wire start = idle && enable && !hold && request != '0;
    wire out   = m_axis_tvalid && m_axis_tready && m_axis_tlast;
    wire came  = s_axis_tvalid && up_q;

    assign idle          = !command_q && !data_q && !wait_q;
    assign chosen        = chosen_q & {N{command_q || data_q}};
    assign grant         = chosen_q & {N{data_q}};
    assign stage         = {data_q || wait_q, command_q || (wait_q && !data_q)};
    assign m_axis_tkeep  = 4'hF;
    assign s_axis_tready = up_q;

    // ---- whose turn it is: the first request behind the end that was served last. Taking 1 from it at the place behind
    //      that end borrows up to the first request, which is the lowest bit that changes from 1 to 0.

    wire [2*N-1:0] twice = {request, request};
    wire [2*N-1:0] first = twice & ~(twice - (2*N)'({chosen_q, 1'b0}));
    wire [N-1:0]   pick  = first[2*N-1:N] | first[N-1:0];

    // ---- words

    logic [31:0] count_of, word;
    logic [15:0] rank_of;
    logic [7:0]  stream_of;

    always_comb begin
        count_of  = '0;
        rank_of   = '0;
        stream_of = '0;
        which     = '0;
        for (int k = 0; k < N; k++)
            if (chosen_q[k]) begin
                count_of  = count_of | count[k*32 +: 32];
                rank_of   = rank_of | rank[k*16 +: 16];
                stream_of = stream_of | stream[k*8 +: 8];
                which     = which | 4'(k);
            end

        case (word_q)
            4'd0:    word = SEND;
            4'd1:    word = count_of;
            4'd2:    word = communicator;
            4'd3:    word = {16'd0, rank_of};
            4'd5:    word = {24'd0, stream_of};
            4'd6:    word = arithmetic;
            4'd8:    word = BOTH_STREAMED;
            default: word = '0;
        endcase
    end

    always_ff @(posedge aclk) begin
        if (start) chosen_q <= pick;
        if (start)               word_q <= '0;
        else if (load_q && free) word_q <= word_q + 4'd1;
        load_q    <= start || (load_q && !(free && word_q == LAST_WORD));
        command_q <= start || (command_q && !out);
        data_q    <= out || (data_q && !sent);
        wait_q    <= out || (wait_q && !came);
        up_q      <= 1'b1;

        if (free) begin
            m_axis_tdata  <= word;
            m_axis_tlast  <= word_q == LAST_WORD;
            m_axis_tvalid <= load_q;
        end

        if (came && wait_q) status <= s_axis_tdata;
        done    <= came && wait_q;
        refused <= came && wait_q && s_axis_tdata != '0;
        stray   <= came && !wait_q;

        if (!aresetn) begin
            chosen_q      <= N'(1);
            load_q        <= 1'b0;
            command_q     <= 1'b0;
            data_q        <= 1'b0;
            wait_q        <= 1'b0;
            up_q          <= 1'b0;
            m_axis_tvalid <= 1'b0;
            done          <= 1'b0;
            refused       <= 1'b0;
            stray         <= 1'b0;
            status        <= '0;
        end
    end

    // ---- watchdog: cycles that are left, less one; below 0 it has run out

    logic [31:0] left_q;
    logic        run_q;
    wire  [32:0] left = {1'b0, idle ? watchdog : left_q} - 33'd1;

    always_ff @(posedge aclk) begin
        left_q <= left[31:0];
        run_q  <= idle ? start && !left[32] : run_q && !left[32];
        late   <= run_q && !idle && left[32];

        if (!aresetn) begin
            run_q <= 1'b0;
            late  <= 1'b0;
        end
    end

endmodule

`default_nettype wire
