// SPDX-License-Identifier: BSD-3-Clause
//
// cclo_network - simulation only: the network between the ACCL engines of a cluster: RDMA stacks, cables and a switch, without loss.
//
// A packet is stored whole, arrives LATENCY cycles and `latency` later, and waits then until its receiver has taken all that
// came before. Packets of one sender keep their order, also to different receivers, so a packet that cannot be delivered stops
// those behind it. The packets of several senders to one receiver take turns. There are no credits: a board that
// takes nothing stops all that send to it, as soon as a few packets of each have arrived.
//
// `up` is low while a board is in reset by its pin: what it has sent is forgotten, as far as it has not been delivered,
// and what comes for it is lost. A packet to a board that does not exist is lost and counted in `astray`.
//
// On a rising edge of `dump` the counters since aresetn are written to FILE, words and a number in each line.
//
// Throughput: a beat per cycle and port, less one for each packet: 100 Gb/s at 195.3125 MHz.
// Parameters: PORTS    boards; the number of a port is the rank of its board
//             FILE     for the counters; none if it is empty
//             LATENCY  of two stacks, cables and switch, in cycles of 5.12 ns
`default_nettype none

module cclo_network #(
    parameter int PORTS   = 2,
    parameter     FILE    = "",
    parameter int LATENCY = 80
) (
    input  wire                  wire_clk,
    input  wire                  aresetn,  // of the counters
    input  wire                  dump,
    input  wire [32*PORTS-1:0]   puts,     // of each board since its reset, for FILE
    input  wire [PORTS-1:0]      waits,    // a put of this board has no status yet, for FILE
    input  wire [PORTS-1:0]      up,
    input  wire [15:0]           latency,  // ns

    input  wire [512*PORTS-1:0]  s_wire_tdata,
    input  wire [8*PORTS-1:0]    s_wire_tdest,
    input  wire [PORTS-1:0]      s_wire_tlast,
    input  wire [PORTS-1:0]      s_wire_tvalid,
    output logic [PORTS-1:0]     s_wire_tready,
    output logic [512*PORTS-1:0] m_wire_tdata,
    output logic [8*PORTS-1:0]   m_wire_tid,
    output logic [PORTS-1:0]     m_wire_tlast,
    output logic [PORTS-1:0]     m_wire_tvalid,
    input  wire [PORTS-1:0]      m_wire_tready,

    output logic [31:0]          astray,
    output logic                 under_way  // some beat is not yet where it belongs
);
    localparam int STORE  = 4096;  // beats of each sender: more than 16 us and a packet of 64 KiB
    localparam int LONGEST = 1024; // beats of a packet
    localparam int DEPTH  = 4096;  // packets of each sender
    localparam int STUCK  = 2;     // packets of a sender that have arrived and wait

    generate
        if (PORTS < 1 || PORTS > 256) begin : g_check_ports
            PORTS_must_be_1_to_256 parameter_error ();
        end
    endgenerate

    logic [511:0] store[0:PORTS*STORE-1];
    logic [31:0]  due[0:PORTS*DEPTH-1];
    logic [15:0]  size[0:PORTS*DEPTH-1];
    logic [7:0]   dest[0:PORTS*DEPTH-1];
    // By sender; all but `came` are never reset, they wrap: packets, whole or delivered, beats, whole or delivered.
    logic [31:0]  head[0:PORTS-1], tail[0:PORTS-1], write_at[0:PORTS-1], read_at[0:PORTS-1], came[0:PORTS-1];
    logic [31:0]  left[0:PORTS-1];    // beats of the packet that is delivered
    // By receiver.
    logic [31:0]  from[0:PORTS-1];    // whose packet is delivered, or was last
    logic [PORTS-1:0] busy, gap;
    logic [31:0]  now;
    wire  [31:0]  delay = LATENCY + {16'd0, latency} * 32'd25 / 32'd128;

    function automatic int packet_of(input int sender, input logic [31:0] which);
        packet_of = sender * DEPTH + int'(which % DEPTH);
    endfunction

    // A packet that waits at the receiver counts; one that is on the way has only to find room.
    function automatic logic free(input int sender);
        free = up[sender] && write_at[sender] + came[sender] - read_at[sender] < STORE - LONGEST
               && tail[sender] - head[sender] < DEPTH
               && !(tail[sender] - head[sender] > STUCK && due[packet_of(sender, head[sender] + STUCK)] <= now);
    endfunction

    task automatic enter(input int sender);
        store[sender*STORE+int'((write_at[sender]+came[sender])%STORE)] = s_wire_tdata[512*sender+:512];
        came[sender] = came[sender] + 32'd1;
        if (s_wire_tlast[sender]) begin
            due[packet_of(sender, tail[sender])]  = now + delay;
            size[packet_of(sender, tail[sender])] = came[sender][15:0];
            dest[packet_of(sender, tail[sender])] = s_wire_tdest[8*sender+:8];
            tail[sender]     = tail[sender] + 32'd1;
            write_at[sender] = write_at[sender] + came[sender];
            came[sender]     = 32'd0;
        end
    endtask

    // A packet that has arrived where nobody is.
    task automatic discard(input int sender);
        int to;
        to = int'(dest[packet_of(sender, head[sender])]);
        if (head[sender] != tail[sender] && due[packet_of(sender, head[sender])] <= now && (to >= PORTS || !up[to])) begin
            read_at[sender] = read_at[sender] + 32'(size[packet_of(sender, head[sender])]);
            head[sender]    = head[sender] + 32'd1;
            if (to >= PORTS) astray = astray + 32'd1;
        end
    endtask

    // A board is in reset. What it has under way to a receiver breaks off there.
    task automatic forget(input int board);
        for (int to = 0; to < PORTS; to++) if (busy[to] && from[to] == 32'(board)) busy[to] = 1'b0;
        head[board]    = tail[board];
        read_at[board] = write_at[board];
        came[board]    = 32'd0;
        busy[board]    = 1'b0;
    endtask

    // The next sender, from the one after the last on, whose packet has arrived here.
    task automatic choose(input int receiver);
        int sender, first;
        first = int'(from[receiver]);
        for (int k = 1; k <= PORTS; k++) begin
            sender = (first + k) % PORTS;
            if (!busy[receiver] && up[sender] && head[sender] != tail[sender]
                && due[packet_of(sender, head[sender])] <= now
                && int'(dest[packet_of(sender, head[sender])]) == receiver) begin
                busy[receiver] = 1'b1;
                if (sender != first) n_turns = n_turns + 1;
                from[receiver] = 32'(sender);
                left[sender]   = 32'(size[packet_of(sender, head[sender])]);
            end
        end
    endtask

    function automatic logic held;
        held = busy != '0;
        for (int p = 0; p < PORTS; p++) held = held || head[p] != tail[p] || came[p] != 32'd0;
    endfunction

    // ---- what is counted
    int          n_packets, n_beats, n_turns;
    logic [31:0] n_before;  // puts before
    logic        dump_q;

    function automatic logic [31:0] total;
        total = 32'd0;
        for (int p = 0; p < PORTS; p++) total = total + puts[32*p+:32];
    endfunction

    task automatic tell;
        int file;
        file = $fopen(FILE, "w");
        $fdisplay(file, "puts %0d", total() - n_before);
        $fdisplay(file, "without a status yet %0d", $countones(waits));
        $fdisplay(file, "packets delivered %0d", n_packets);
        $fdisplay(file, "beats in them %0d", n_beats);
        $fdisplay(file, "turns between senders %0d", n_turns);
        $fdisplay(file, "packets to no board %0d", astray);
        $fclose(file);
    endtask

    // All that arrived or left with the last edge, board by board, and then who delivers next.
    task automatic step;
        for (int p = 0; p < PORTS; p++) begin
            gap[p] = 1'b0;
            if (m_wire_tvalid[p] && m_wire_tready[p]) begin
                n_beats = n_beats + 1;
                if (m_wire_tlast[p]) begin
                    n_packets = n_packets + 1;
                    busy[p]   = 1'b0;
                    gap[p]    = 1'b1;
                    if (up[from[p]]) head[from[p]] = head[from[p]] + 32'd1;
                end
                if (up[from[p]]) begin
                    read_at[from[p]] = read_at[from[p]] + 32'd1;
                    left[from[p]]    = left[from[p]] - 32'd1;
                end
            end
        end
        for (int p = 0; p < PORTS; p++) begin
            if (!up[p]) forget(p);
            else if (s_wire_tvalid[p] && s_wire_tready[p]) enter(p);
            discard(p);
        end
        for (int p = 0; p < PORTS; p++) if (up[p] && !busy[p] && !gap[p]) choose(p);
        now = now + 32'd1;
        if (!aresetn) begin
            n_packets = 0;
            n_beats   = 0;
            n_turns   = 0;
            n_before  = total();
        end
    endtask

    always @(posedge wire_clk) begin
        step;
        for (int p = 0; p < PORTS; p++) begin
            m_wire_tvalid[p] <= busy[p];
            if (busy[p]) begin
                m_wire_tdata[512*p+:512] <= store[int'(from[p])*STORE+int'(read_at[from[p]]%STORE)];
                m_wire_tid[8*p+:8]       <= from[p][7:0];
                m_wire_tlast[p]          <= left[from[p]] == 32'd1;
            end
            s_wire_tready[p] <= free(p);
        end
        under_way <= held();
        dump_q <= dump;
        if (dump && !dump_q && FILE != "") tell;
    end

    initial begin
        now    = 32'd0;
        astray = 32'd0;
        busy   = '0;
        gap    = '0;
        under_way = 1'b0;
        m_wire_tvalid = '0;
        s_wire_tready = '0;
        for (int p = 0; p < PORTS; p++) begin
            head[p]     = 32'd0;
            tail[p]     = 32'd0;
            write_at[p] = 32'd0;
            read_at[p]  = 32'd0;
            came[p]     = 32'd0;
            left[p]     = 32'd0;
            from[p]     = 32'd0;
        end
    end
endmodule

`default_nettype wire
