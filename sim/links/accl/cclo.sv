// SPDX-License-Identifier: BSD-3-Clause
//
// cclo - simulation only: one ACCL engine (CCLO) with its client arbiter, at the side of the kernel (docs/coyote.md).
//
//   command words -> two words of register -\                          /-> status words
//   host's calls, with priority ------------> one call after the other
//   data -> two beats of register -> packetizer -> wire               wire -> depacketizer -> data
//
// A call is 15 words, and nothing else is looked at before its status word was taken. Only the firmware's calls with scenario 3
// and both stream flags are modelled (stream_put), and 255 and 0, which do nothing. A put goes through the engine as there:
// pieces of a receive buffer's bytes, each cut into messages of at most max_segment_size, each message with a header of 64
// bytes and cut into packets of `packet` bytes, header included. The engine waits for the data of a put as long as they do not come, and all
// other calls wait with it. It takes ceil(bytes / 64) beats for each message, whatever TLAST and TKEEP say. At the
// receiver TDEST is the stream id, TLAST ends a packet, and the packets of two senders take turns. All receivers of a
// board share one queue: who does not take his beat stops the others, and the senders, too.
// What a call refers to is read from the configuration memory (cclo_registers.sv): wrong addresses give a wrong put.
//
// `error` is high from when a core has done what no core may do; cclo_rules.sv has the list of `faults`.
//
// Only aresetn, the board's pin, resets it; a put that is cut by that never ends at its receiver.
//
// Throughput: a beat per cycle of aclk into and out of the core, less a header for each message.
// Parameters: RANKS  of the network; NAME  of the board, for what is printed; SEED  of its pauses
//             QUEUE  beats that wait for the core, a power of two
// Source:     Xilinx/ACCL, kernels/cclo (dma_mover, segmenter, eth_intf, firmware) and kernels/plugins/client_arbiter.
`default_nettype none

module cclo #(
    parameter int RANKS = 2,
    parameter     NAME  = "cclo",
    parameter int SEED  = 1,
    parameter int QUEUE = 32
) (
    input  wire         aclk,
    input  wire         aresetn,      // of the board
    input  wire [7:0]   stall_in,     // chance in 1/256 that a beat of the core waits
    input  wire [7:0]   stall_out,    // that none is offered to it
    input  wire [7:0]   slow,         // that a word of a command waits
    input  wire [15:0]  think,        // cycles of the firmware from the 15th word on
    input  wire [15:0]  packet,       // bytes of a packet, header included; 0: 4096
    input  wire [15:0]  status,       // cycles that each status word is withheld
    input  wire [15:0]  withhold,     // no status word from this put on, the first being 1; 0: all come
    input  wire [15:0]  refuse,       // the status of every n-th put says that packets were lost; 0: none
    input  wire [15:0]  reject,       // every n-th put is rejected and no data are taken; 0: none
    input  wire [15:0]  host,         // cycles between two calls of the host; 0: none

    // only accl_directed.py moves these
    input  wire [15:0]  code,         // not 0: the status of every put is {~code, code}, and so is a stray one
    input  wire         stray,        // on its rising edge, a status that no put waits for
    input  wire         torn,         // no TLAST where a put ends
    input  wire [2:0]   halt,         // takes no word of a command, takes no beat of data, gives no status

    input  wire [31:0]  s_command_tdata,
    input  wire [3:0]   s_command_tkeep,
    input  wire         s_command_tlast,
    input  wire         s_command_tvalid,
    output wire         s_command_tready,
    output wire [31:0]  m_status_tdata,
    output wire [3:0]   m_status_tkeep,
    output wire         m_status_tlast,
    output wire         m_status_tvalid,
    input  wire         m_status_tready,
    input  wire [511:0] s_axis_tdata,
    input  wire [63:0]  s_axis_tkeep,
    input  wire         s_axis_tlast,
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,
    output wire [511:0] m_axis_tdata,
    output wire [63:0]  m_axis_tkeep,
    output wire [7:0]   m_axis_tdest,
    output wire         m_axis_tlast,
    output wire         m_axis_tvalid,
    input  wire         m_axis_tready,

    // cclo_registers.sv
    output wire [10:0]  look_at,
    input  wire [31:0]  look,
    input  wire [31:0]  buffers,
    input  wire         ready,
    output logic        retire,
    output logic [31:0] retcode,
    input  wire         call,
    input  wire [479:0] call_words,
    output logic        call_done,

    // cclo_network.sv: beats of packets and who they are for, who they are from
    input  wire         wire_clk,
    output wire [511:0] m_wire_tdata,
    output wire [7:0]   m_wire_tdest,
    output wire         m_wire_tlast,
    output wire         m_wire_tvalid,
    input  wire         m_wire_tready,
    input  wire [511:0] s_wire_tdata,
    input  wire [7:0]   s_wire_tid,
    input  wire         s_wire_tlast,
    input  wire         s_wire_tvalid,
    output wire         s_wire_tready,

    output logic [31:0] puts,         // commands of the core
    output wire         waits,        // the core waits for a status word
    output wire         busy,         // a put of the core, or a beat for it, is under way in here
    output wire         error,
    output wire  [4:0]  faults
);
    localparam logic [31:0] NOTHING = 32'd255, CONFIG = 32'd0, SEND = 32'd3;
    localparam logic [31:0] LOST = 32'd1 << 21, NOT_IMPLEMENTED = 32'd1 << 14;
    assign error = |faults;

    wire pause_in, pause_out, pause_word;
    bench_stall #(.SEED(SEED)) u_in_stall (.aclk(aclk), .aresetn(aresetn), .chance(stall_in), .stall(pause_in));
    bench_stall #(.SEED(SEED + 1)) u_out_stall (.aclk(aclk), .aresetn(aresetn), .chance(stall_out), .stall(pause_out));
    bench_stall #(.SEED(SEED + 2)) u_word_stall (.aclk(aclk), .aresetn(aresetn), .chance(slow), .stall(pause_word));

    // ---- what has come of commands, and what has gone in; two words and two beats wait
    logic [31:0]  words_q[0:1];
    logic [31:0]  words_in_q, words_out_q;   // never reset, they wrap
    logic [511:0] beats_q[0:1];
    logic [31:0]  beats_in_q, beats_out_q;

    assign s_command_tready = aresetn && words_in_q - words_out_q < 32'd2 && !pause_word && !halt[0];
    assign s_axis_tready    = aresetn && beats_in_q - beats_out_q < 32'd2 && !pause_in && !halt[1];
    wire word_fire   = s_command_tvalid && s_command_tready;
    wire beat_fire   = s_axis_tvalid && s_axis_tready;
    wire status_fire = m_status_tvalid && m_status_tready;

    // ---- the call under way
    typedef enum logic [3:0] {
        IDLE, GATHER, THINK, CHECK, SIZE, RANK_AT, SESSION, SEGMENT, BUFFER, PIECE, MESSAGE, DATA, HOLD, ANSWER
    } state_t;
    state_t       state_q;
    logic         by_host_q, by_call_q, nop_q;
    logic [479:0] call_q;
    logic [3:0]   gathered_q;
    logic [31:0]  wait_q, element_q, rank_q, count_q, segment_q, buffer_q, nop_wait_q;
    logic [31:0]  piece_q, rest_q;           // bytes left of the piece, of the message
    logic [31:0]  room_q;                    // bytes left of the packet
    logic [7:0]   session_q;
    logic [31:0]  value_q;
    wire [31:0]   command  = call_q[31:0];
    wire [31:0]   counted  = call_q[63:32];
    wire [31:0]   group    = call_q[95:64];  // the communicator's address
    wire [31:0]   peer     = call_q[127:96];
    wire [31:0]   tag      = call_q[191:160];
    wire [31:0]   types    = call_q[223:192];
    wire          unused   = &{1'b0, call_q[159:128], call_q[255:224], call_q[479:264]};
    wire [31:0]   entry    = group + 32'd8 + 32'd24 * peer;
    wire [31:0]   most     = packet == 16'd0 ? 32'd4096 : {16'd0, packet};
    wire [31:0]   elements = element_q == 32'd0 ? 32'd0 : buffer_q / element_q;  // of a piece

    // The place of what a state reads; it has it in the same cycle.
    logic [10:0] at;
    always_comb begin
        case (state_q)
            SIZE:    at = 11'(types / 32'd4);
            RANK_AT: at = 11'(group / 32'd4 + 32'd1);
            SESSION: at = 11'(entry / 32'd4 + 32'd4);
            SEGMENT: at = 11'(entry / 32'd4 + 32'd5);
            BUFFER:  at = 11'd1;
            default: at = 11'd0;
        endcase
    end
    assign look_at = at;

    // ---- to the wire
    wire         wire_free;
    wire         header = state_q == MESSAGE;
    wire         beat   = state_q == DATA && beats_in_q != beats_out_q;
    wire         go     = (header || beat) && wire_free;
    wire         ends   = (beat && rest_q <= 32'd64) || room_q <= 32'd64;
    // bytes, stream, sender: what the depacketizer looks at
    wire [511:0] head   = 512'({rank_q, tag, rest_q});
    wire [511:0] drawn  = header ? head : beats_q[beats_out_q[0]];

    wire_fifo #(.DATA_W(521), .BEATS(8)) u_to_wire (
        .aresetn(aresetn),
        .s_clk(aclk),
        .s_data({ends, session_q, drawn}),
        .s_valid(header || beat),
        .s_ready(wire_free),
        .m_clk(wire_clk),
        .m_data({m_wire_tlast, m_wire_tdest, m_wire_tdata}),
        .m_valid(m_wire_tvalid),
        .m_ready(m_wire_tready)
    );

    wire [31:0] number = puts + 32'd1;
    function automatic logic turn(input [31:0] of, input [15:0] every);
        turn = every != 16'd0 && of % {16'd0, every} == 32'd0;
    endfunction

    task automatic answer(input logic [31:0] with_value);
        value_q <= with_value;
        wait_q  <= {16'd0, status};
        state_q <= HOLD;
    endtask

    task automatic piece;
        logic [31:0] now;
        now     = count_q < elements ? count_q : elements;
        count_q <= count_q - now;
        piece_q <= now * element_q;
        state_q <= PIECE;
    endtask

    task automatic step;
        logic [31:0] size;
        case (state_q)
            IDLE:
            if ((call && !call_done) || nop_q) begin
                by_host_q <= 1'b1;
                by_call_q <= call && !call_done;
                nop_q     <= nop_q && call && !call_done;
                call_q    <= call && !call_done ? call_words : {448'd0, NOTHING};
                wait_q    <= {16'd0, think};
                state_q   <= THINK;
            end else if (words_in_q != words_out_q) begin
                by_host_q  <= 1'b0;
                gathered_q <= 4'd0;
                state_q    <= GATHER;
            end
            GATHER:
            if (words_in_q != words_out_q) begin
                call_q[32*gathered_q+:32] <= words_q[words_out_q[0]];
                words_out_q <= words_out_q + 32'd1;
                gathered_q  <= gathered_q + 4'd1;
                wait_q      <= {16'd0, think};
                if (gathered_q == 4'd14) state_q <= THINK;
            end
            THINK: begin
                wait_q <= wait_q - 32'd1;
                if (wait_q == 32'd0) state_q <= CHECK;
            end
            CHECK:
            if (command == NOTHING || command == CONFIG) answer(32'd0);
            else begin
                if (!by_host_q) puts <= number;
                count_q <= counted;
                if (command != SEND || call_q[263:256] != 8'd3 || (!by_host_q && turn(number, reject))) answer(NOT_IMPLEMENTED);
                else state_q <= SIZE;
            end
            SIZE: begin
                element_q <= look;
                state_q   <= RANK_AT;
            end
            RANK_AT: begin
                rank_q  <= look;
                state_q <= SESSION;
            end
            SESSION: begin
                session_q <= look[7:0];
                state_q   <= SEGMENT;
            end
            SEGMENT: begin
                segment_q <= look;
                state_q   <= BUFFER;
            end
            BUFFER: begin
                buffer_q <= look;
                piece_q  <= 32'd0;
                state_q  <= PIECE;
            end
            PIECE: begin
                size    = piece_q < segment_q ? piece_q : segment_q;
                rest_q  <= size;
                piece_q <= piece_q - size;
                room_q  <= most;
                if (piece_q != 32'd0 && size != 32'd0) state_q <= MESSAGE;
                else if (piece_q == 32'd0 && count_q != 32'd0 && elements != 32'd0) piece();
                else if (piece_q == 32'd0) answer(!by_host_q && code != 16'd0 ? {~code, code} : turn(puts, refuse) ? LOST : 32'd0);
            end
            MESSAGE:
            if (go) begin
                room_q  <= ends ? most : room_q - 32'd64;
                state_q <= DATA;
            end
            DATA:
            if (go) begin
                beats_out_q <= beats_out_q + 32'd1;
                room_q      <= ends ? most : room_q - 32'd64;
                rest_q      <= rest_q < 32'd64 ? 32'd0 : rest_q - 32'd64;
                if (rest_q <= 32'd64) state_q <= PIECE;
            end
            HOLD: begin
                wait_q <= wait_q - 32'd1;
                if (wait_q == 32'd0 || by_host_q) state_q <= ANSWER;
            end
            default:
            if (by_host_q || status_fire) state_q <= IDLE;
        endcase
    endtask

    // The status of a put that never comes: the arbiter waits indefinitely, and with it all clients.
    wire lost = withhold != 16'd0 && command == SEND && puts >= {16'd0, withhold};
    // Between two words there may be anything on the wires.
    logic [31:0] noise_q;
    logic        stray_q, astray_q;
    wire         answers = state_q == ANSWER && !by_host_q && !lost && !halt[2];
    assign m_status_tvalid = aresetn && (answers || astray_q);
    assign m_status_tdata  = answers ? value_q : astray_q ? {~code, code} : noise_q;
    assign m_status_tkeep  = 4'hF;
    assign m_status_tlast  = 1'b1;

    always_ff @(posedge aclk) begin
        retire    <= state_q == HOLD && wait_q == {16'd0, status};
        retcode   <= value_q;
        call_done <= state_q == ANSWER && by_host_q && by_call_q;
        step();
        if (host != 16'd0) begin
            nop_wait_q <= nop_wait_q - 32'd1;
            if (nop_wait_q == 32'd0) begin
                nop_q      <= 1'b1;
                nop_wait_q <= {16'd0, host};
            end
        end
        noise_q  <= {noise_q[30:0], noise_q[31] ^ noise_q[21] ^ noise_q[1] ^ noise_q[0]};
        stray_q  <= stray;
        astray_q <= (stray && !stray_q) || (astray_q && !m_status_tready);
        if (word_fire) begin
            words_q[words_in_q[0]] <= s_command_tdata;
            words_in_q             <= words_in_q + 32'd1;
        end
        if (beat_fire) begin
            beats_q[beats_in_q[0]] <= s_axis_tdata;
            beats_in_q             <= beats_in_q + 32'd1;
        end
        if (!aresetn) begin
            words_in_q  <= 32'd0;
            words_out_q <= 32'd0;
            beats_in_q  <= 32'd0;
            beats_out_q <= 32'd0;
            state_q     <= IDLE;
            by_host_q   <= 1'b0;
            nop_q       <= 1'b0;
            nop_wait_q  <= 32'd0;
            puts        <= 32'd0;
            value_q     <= 32'd0;
            wait_q      <= 32'd0;
            noise_q     <= 32'h9E37_79B9;
            astray_q    <= 1'b0;
            retire      <= 1'b0;
            call_done   <= 1'b0;
        end
    end

    // ---- from the wire, and the rules for the core
    wire arrives, due;

    cclo_arrival #(
        .QUEUE(QUEUE)
    ) u_arrival (
        .aclk(aclk),
        .aresetn(aresetn),
        .pause(pause_out),
        .torn(torn),
        .noise(noise_q[0]),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tkeep(m_axis_tkeep),
        .m_axis_tdest(m_axis_tdest),
        .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .wire_clk(wire_clk),
        .s_wire_tdata(s_wire_tdata),
        .s_wire_tid(s_wire_tid),
        .s_wire_tlast(s_wire_tlast),
        .s_wire_tvalid(s_wire_tvalid),
        .s_wire_tready(s_wire_tready),
        .busy(arrives)
    );

    cclo_rules #(
        .RANKS(RANKS),
        .NAME (NAME)
    ) u_rules (
        .aclk(aclk),
        .aresetn(aresetn),
        .word(s_command_tdata),
        .word_keep(s_command_tkeep),
        .word_last(s_command_tlast),
        .word_fire(word_fire),
        .beat_keep(s_axis_tkeep),
        .beat_last(s_axis_tlast),
        .beat_fire(beat_fire),
        .status_fire(status_fire),
        .buffers(buffers),
        .ready(ready),
        .owed(waits),
        .due(due),
        .faults(faults)
    );

    assign busy = waits || due || m_wire_tvalid || arrives;

endmodule

`default_nettype wire
