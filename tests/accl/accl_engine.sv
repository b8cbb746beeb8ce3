// SPDX-License-Identifier: BSD-3-Clause
//
// accl_engine - simulation only: the sending kernel side of ACCL's engine, no more than a bench of accl_command needs.
//
// A command is 15 words, each checked. Of the data it takes two beats into its input slice, and the others only while a
// command asks for them; then it answers with a status word. `stall` draws pauses at both ports; every REFUSE-th status is
// not 0, every STRAY-th comes twice, and every EARLY-th before the data. While `silent` is high there is no status.
`default_nettype none

module accl_engine #(
    parameter int SEED   = 1,
    parameter int REFUSE = 5,
    parameter int STRAY  = 7,
    parameter int EARLY  = 4
) (
    input  wire          aclk,
    input  wire          aresetn,
    input  wire          stall,
    input  wire          silent,
    input  wire  [31:0]  communicator,
    input  wire  [31:0]  arithmetic,

    input  wire  [31:0]  s_command_tdata,
    input  wire  [3:0]   s_command_tkeep,
    input  wire          s_command_tlast,
    input  wire          s_command_tvalid,
    output logic         s_command_tready,

    input  wire  [127:0] s_data_tdata,
    input  wire          s_data_tlast,
    input  wire          s_data_tvalid,
    output logic         s_data_tready,

    output logic [31:0]  m_status_tdata,
    output logic         m_status_tvalid,
    input  wire          m_status_tready,

    // A beat that a command has asked for.
    output logic [127:0] beat_data,
    output logic         beat_last,
    output logic [15:0]  beat_rank,
    output logic [7:0]   beat_stream,
    output logic         beat,
    output int           refused,
    output int           strays,
    output int           puts
);
    int          seed, words, left, ahead, held, answer, pause;  // ahead: beats that have not come to the slice
    logic [31:0] count;
    logic        active, again;
    logic [128:0] slice [0:1];

    function automatic int draw(input int below);
        seed = seed * 32'd1664525 + 32'd1013904223;
        draw = int'((32'(seed) >> 8) % 32'(below));
    endfunction

    task automatic take(input logic [31:0] word, input logic last);
        logic [31:0] wanted;
        wanted = 32'd0;
        case (words)
            0, 8:    wanted = 32'd3;
            1:       begin count = word; wanted = word; end
            2:       wanted = communicator;
            3:       begin beat_rank = word[15:0]; wanted = {16'd0, word[15:0]}; end
            5:       begin beat_stream = word[7:0]; wanted = {24'd0, word[7:0]}; end
            6:       wanted = arithmetic;
            default: ;
        endcase
        if (word !== wanted) $fatal(1, "word %0d of a command is %h (%m)", words, word);
        if (last !== (words == 14)) $fatal(1, "word %0d of a command has tlast %b (%m)", words, last);
        words = words == 14 ? 0 : words + 1;
        if (words == 0) begin
            if (count == 0 || count % 16 != 0) $fatal(1, "a put of %0d elements is not whole beats (%m)", count);
            left   = int'(count) / 16;
            ahead  = left;
            active = 1'b1;
            puts   = puts + 1;
            pause  = stall ? draw(6) : 0;
            answer = EARLY != 0 && puts % EARLY == 0 ? 1 : 0;
            again  = STRAY != 0 && puts % STRAY == 0;
        end
    endtask

    initial begin
        seed = SEED; words = 0; left = 0; ahead = 0; held = 0; answer = 0; pause = 0; count = 0; active = 1'b0; again = 1'b0;
        refused = 0; strays = 0; puts = 0; beat = 1'b0; beat_data = '0; beat_last = 1'b0; beat_rank = '0; beat_stream = '0;
        s_command_tready = 1'b0; s_data_tready = 1'b0; m_status_tvalid = 1'b0; m_status_tdata = '0;
    end

    // answer: 0 not yet, 1 to be given, 2 given
    always @(posedge aclk) begin
        beat <= 1'b0;
        if (!aresetn) begin
            s_command_tready <= 1'b0;
            s_data_tready    <= 1'b0;
        end else begin
            if (s_command_tvalid && s_command_tready) begin
                if (s_command_tkeep !== 4'hF) $fatal(1, "a word lacks bytes (%m)");
                take(s_command_tdata, s_command_tlast);
            end
            if (s_data_tvalid && (!active || ahead == 0)) $fatal(1, "a beat that no command is for (%m)");
            if (s_data_tvalid && s_data_tready) begin
                ahead = ahead - 1;
                slice[held] = {s_data_tlast, s_data_tdata};
                held = held + 1;
            end
            if (pause > 0) pause = pause - 1;
            else if (active && left > 0 && held > 0) begin
                beat      <= 1'b1;
                {beat_last, beat_data} <= slice[0];
                slice[0] = slice[1];
                held     = held - 1;
                left     = left - 1;
                if (stall && draw(4) == 0) pause = draw(5);
                if (left == 0 && answer == 0) answer = 1;
            end
            if (m_status_tvalid && m_status_tready) begin
                m_status_tvalid <= 1'b0;
                if (again && answer == 2) begin
                    again  = 1'b0;
                    strays = strays + 1;
                    answer = 3;
                end
            end else if (!m_status_tvalid && !silent && answer[0] && (!stall || draw(3) == 0)) begin
                m_status_tvalid <= 1'b1;
                m_status_tdata  <= REFUSE != 0 && puts % REFUSE == 0 && answer == 1 ? 32'h8000_0000 + 32'(puts) : 32'd0;
                if (REFUSE != 0 && puts % REFUSE == 0 && answer == 1) refused = refused + 1;
                answer = answer + 1;
            end
            // The next command is read when this one has been served.
            if (active && left == 0 && (answer == 2 || answer == 4) && !again && !m_status_tvalid) active = 1'b0;
            s_command_tready <= !active && (!stall || draw(3) == 0);
            s_data_tready    <= held < 2 && (!stall || draw(4) != 0);
        end
    end
endmodule

`default_nettype wire
