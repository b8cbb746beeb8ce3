// SPDX-License-Identifier: BSD-3-Clause
//
// request_memory - simulation only: memory behind requests, as Coyote v2 offers it to a vFPGA, which holds the core to the rules.
//
// Each of N streams has a part of the memory. A request is of BURST beats. That of a write takes effect when all its beats are in
// the FIFO of its stream (512 beats), and is completed LATENCY to 2 LATENCY cycles later; a read is answered as late, with TLAST
// on its last beat. A stream is in order, and streams are not in order with each other. A request waits GAP to 2 GAP cycles for the next one of the
// same direction, as a look into the TLB takes, and one in FAULT_EVERY stops all behind it for FAULT cycles, as a page does that
// the driver has to map. With STALL, a stream rests in as many of 100 cycles, at random. Completions come one in two cycles,
// and nothing holds them off. Reset forgets what is under way, and keeps the contents.
//
// `error` rises, for good, and a message names the reason, when the core
//   lets a valid fall, or changes what waits for ready
//   asks for what is not whole bursts of the memory of that stream and thread, or of a stream that is not there
//   sets TLAST elsewhere than on the last beat of a request, or leaves bytes of a beat out
//   reads what is not completed as written, or writes what is being read
//   has more than MOST requests of a stream under way in a direction
//   drives X at a valid, ready or payload (visible to a four-state simulator only)
//
// Parameters: N            streams
//             DATA_W       bits of a beat
//             ADDR_W       of an address: thread above the virtual address
//             BURST        beats of a request
//             BASES, SIZES where each part of memory is, 64 bits each, and its bytes, 32 bits each
//             DESTS, HOSTS number and kind of each stream, as of ring_requests
//             MOST         see above
//             LATENCY, GAP, FAULT, FAULT_EVERY, STALL  see above; FAULT_EVERY of 0: never
//             SEED         of the dice
`default_nettype none

module request_memory #(
    parameter int N = 1,
    parameter int DATA_W = 512,
    parameter int ADDR_W = 54,
    parameter int BURST = 64,
    parameter logic [64*N-1:0] BASES = '0,
    parameter logic [32*N-1:0] SIZES = {N{32'd65536}},
    parameter logic [4*N-1:0] DESTS = '0,
    parameter logic [N-1:0] HOSTS = '0,
    parameter int MOST = 16,
    parameter int LATENCY = 100,
    parameter int GAP = 9,
    parameter int FAULT = 2000,
    parameter int FAULT_EVERY = 64,
    parameter int STALL = 0,
    parameter int SEED = 1
) (
    input  wire                   aclk,
    input  wire                   aresetn,

    input  wire  [ADDR_W-1:0]     sq_wr_addr,
    input  wire  [3:0]            sq_wr_dest,
    input  wire                   sq_wr_host,
    input  wire                   sq_wr_valid,
    output logic                  sq_wr_ready,
    input  wire  [ADDR_W-1:0]     sq_rd_addr,
    input  wire  [3:0]            sq_rd_dest,
    input  wire                   sq_rd_host,
    input  wire                   sq_rd_valid,
    output logic                  sq_rd_ready,
    output logic [3:0]            cq_wr_dest,
    output logic                  cq_wr_host,
    output logic                  cq_wr_valid,

    input  wire  [N*DATA_W-1:0]   send_tdata,
    input  wire  [N*DATA_W/8-1:0] send_tkeep,
    input  wire  [N-1:0]          send_tlast,
    input  wire  [N-1:0]          send_tvalid,
    output logic [N-1:0]          send_tready,
    output logic [N*DATA_W-1:0]   recv_tdata,
    output logic [N-1:0]          recv_tlast,
    output logic [N-1:0]          recv_tvalid,
    input  wire  [N-1:0]          recv_tready,

    output logic                  error
);
    localparam int UNIT  = DATA_W / 8;
    localparam int DEPTH = 512;   // beats of the FIFO of a stream
    localparam int OPEN  = 2 * MOST;
    localparam int W_W   = DATA_W + UNIT + 1;
    localparam int A_W   = ADDR_W + 5;

    function automatic int first(input int stream);  // word of a stream's part
        first = 0;
        for (int k = 0; k < stream; k++) first = first + int'(SIZES[32*k +: 32]) / UNIT;
    endfunction
    localparam int WORDS = first(N);

    logic [DATA_W-1:0] mem [0:WORDS-1];
    logic [W_W-1:0]    beat [0:N*DEPTH-1];
    // Of each request under way: its first word, and when it is due.
    int                w_at [0:N*OPEN-1], w_due [0:N*OPEN-1], r_at [0:N*OPEN-1], r_due [0:N*OPEN-1];
    // How many of each stream: requests taken, whole, completed; beats taken and used; reads taken, whole; beats of the next one.
    int                w_in [0:N-1], w_whole [0:N-1], w_out [0:N-1], beat_in [0:N-1], beat_used [0:N-1];
    int                r_in [0:N-1], r_out [0:N-1], r_beat [0:N-1], w_last [0:N-1], r_last [0:N-1];
    int                cycle, wr_free, rd_free, who, asked;
    logic [31:0]       dice;
    logic              wr_waits, rd_waits, found;
    logic [A_W-1:0]    wr_was, rd_was;
    logic [N-1:0]      s_waits;
    logic [N*W_W-1:0]  s_was;
    logic [W_W-1:0]    one;
    wire  [A_W-1:0]    wr = {sq_wr_host, sq_wr_dest, sq_wr_addr};
    wire  [A_W-1:0]    rd = {sq_rd_host, sq_rd_dest, sq_rd_addr};

    task automatic complain(input logic [8*56-1:0] reason);
        if (!error) $display("request_memory: %0s, at cycle %0d (%m)", reason, cycle);
        error = 1'b1;
    endtask

    task automatic roll;
        dice = dice * 32'd1664525 + 32'd1013904223;
    endtask

    function automatic logic rests(input logic [31:0] draw);
        rests = int'(draw % 32'd100) < STALL;
    endfunction

    // The stream of a request; -1 if there is none.
    function automatic int stream_of(input logic [4:0] key);
        stream_of = -1;
        for (int k = 0; k < N; k++) if (key == {HOSTS[k], DESTS[4*k +: 4]}) stream_of = k;
    endfunction

    // The word where a request begins; -1, if it may not be.
    function automatic int place(input int k, input logic [ADDR_W-1:0] address);
        logic [63:0] from;
        from  = 64'(address) - BASES[64*k +: 64];
        place = from + 64'(BURST * UNIT) > 64'(SIZES[32*k +: 32]) || from % 64'(BURST * UNIT) != 0 || from[63]
            ? -1 : first(k) + int'(from / 64'(UNIT));
    endfunction

    // When a request that is taken now makes room for the next one.
    function automatic int free_at(input logic [31:0] draw, input int number);
        free_at = cycle + GAP + int'(draw % 32'(GAP + 1)) + (FAULT_EVERY != 0 && number % FAULT_EVERY == 0 ? FAULT : 0);
    endfunction

    function automatic int later(input int past, input logic [31:0] draw);
        later = cycle + LATENCY + int'(draw % 32'(LATENCY + 1));
        if (later <= past) later = past + 1;
    endfunction

    task forget;
        for (int k = 0; k < N; k++) begin
            w_in[k] = 0; w_whole[k] = 0; w_out[k] = 0; beat_in[k] = 0; beat_used[k] = 0;
            r_in[k] = 0; r_out[k] = 0; r_beat[k] = 0; w_last[k] = 0; r_last[k] = 0;
        end
        wr_free = 0; rd_free = 0; who = 0; wr_waits = 1'b0; rd_waits = 1'b0; s_waits = '0;
    endtask

    initial begin
        error = 1'b0; cycle = 0; asked = 0; dice = 32'(SEED) * 32'h9E3779B1 + 32'd1;
        sq_wr_ready = 1'b0; sq_rd_ready = 1'b0; cq_wr_valid = 1'b0; cq_wr_dest = '0; cq_wr_host = 1'b0;
        send_tready = '0; recv_tvalid = '0; recv_tlast = '0; recv_tdata = '0;
        forget;
    end

    always @(posedge aclk) step;

    task taken_write;
        who = stream_of(wr[A_W-1 -: 5]);
        if (who < 0) complain("a write of a stream that is not there");
        else begin
            w_at[who*OPEN + w_in[who] % OPEN] = place(who, sq_wr_addr);
            if (place(who, sq_wr_addr) < 0) complain("a write is not a burst of this memory");
            for (int j = r_out[who]; j < r_in[who]; j++)
                if (r_at[who*OPEN + j % OPEN] == place(who, sq_wr_addr)) complain("a write to what is being read");
            w_in[who] = w_in[who] + 1;
            if (w_in[who] - w_out[who] > MOST) complain("too many writes are under way");
        end
        asked   = asked + 1;
        wr_free = free_at(dice >> 9, asked);
    endtask

    task taken_read;
        who = stream_of(rd[A_W-1 -: 5]);
        if (who < 0) complain("a read of a stream that is not there");
        else begin
            r_at[who*OPEN + r_in[who] % OPEN] = place(who, sq_rd_addr);
            if (place(who, sq_rd_addr) < 0) complain("a read is not a burst of this memory");
            for (int j = w_out[who]; j < w_in[who]; j++)
                if (w_at[who*OPEN + j % OPEN] == place(who, sq_rd_addr)) complain("a read of a write that is not completed");
            r_last[who] = later(r_last[who], dice >> 13);
            r_due[who*OPEN + r_in[who] % OPEN] = r_last[who];
            r_in[who] = r_in[who] + 1;
            if (r_in[who] - r_out[who] > MOST) complain("too many reads are under way");
        end
        asked   = asked + 1;
        rd_free = free_at(dice >> 11, asked);
    endtask

    // What a stream takes, writes and gives.
    task move(input int k);
        if (s_waits[k] && (!send_tvalid[k] || {send_tlast[k], send_tkeep[k*UNIT +: UNIT], send_tdata[k*DATA_W +: DATA_W]}
                           !== s_was[k*W_W +: W_W])) complain("data change while they wait");
        s_waits[k] = send_tvalid[k] && !send_tready[k];
        s_was[k*W_W +: W_W] = {send_tlast[k], send_tkeep[k*UNIT +: UNIT], send_tdata[k*DATA_W +: DATA_W]};
        if (send_tvalid[k] && send_tready[k]) begin
            if ((^s_was[k*W_W +: W_W]) === 1'bx) complain("data are X");
            beat[k*DEPTH + beat_in[k] % DEPTH] = s_was[k*W_W +: W_W];
            beat_in[k] = beat_in[k] + 1;
        end
        if (w_whole[k] < w_in[k] && beat_in[k] - beat_used[k] >= BURST) begin
            for (int j = 0; j < BURST; j++) begin
                one = beat[k*DEPTH + (beat_used[k] + j) % DEPTH];
                if (one[W_W-1] !== (j == BURST - 1)) complain("TLAST is not on the last beat of a request");
                if (one[DATA_W +: UNIT] !== '1) complain("bytes of a beat are left out");
                if (w_at[k*OPEN + w_whole[k] % OPEN] >= 0) mem[w_at[k*OPEN + w_whole[k] % OPEN] + j] = one[DATA_W-1:0];
            end
            beat_used[k] = beat_used[k] + BURST;
            w_last[k] = later(w_last[k], dice >> 7);
            w_due[k*OPEN + w_whole[k] % OPEN] = w_last[k];
            w_whole[k] = w_whole[k] + 1;
        end
        send_tready[k] <= beat_in[k] - beat_used[k] < DEPTH - 1 && !rests(dice >> 3);

        if (recv_tvalid[k] && recv_tready[k] && recv_tlast[k]) r_out[k] = r_out[k] + 1;
        if (!recv_tvalid[k] || recv_tready[k]) begin
            recv_tvalid[k] <= 1'b0;
            if (recv_tvalid[k] && !recv_tlast[k]) r_beat[k] = r_beat[k] + 1;
            else if (recv_tvalid[k]) r_beat[k] = 0;
            if (r_out[k] < r_in[k] && cycle >= r_due[k*OPEN + r_out[k] % OPEN] && !rests(dice >> 5)) begin
                recv_tvalid[k] <= 1'b1;
                recv_tlast[k]  <= r_beat[k] == BURST - 1;
                if (r_at[k*OPEN + r_out[k] % OPEN] >= 0)
                    recv_tdata[k*DATA_W +: DATA_W] <= mem[r_at[k*OPEN + r_out[k] % OPEN] + r_beat[k]];
            end
        end
    endtask

    task step;
        cycle = cycle + 1;
        roll;
        if (!aresetn) begin
            forget;
            sq_wr_ready <= 1'b0;
            sq_rd_ready <= 1'b0;
            cq_wr_valid <= 1'b0;
            send_tready <= '0;
            recv_tvalid <= '0;
        end else begin
            if ((^{sq_wr_valid, sq_rd_valid, send_tvalid, recv_tready}) === 1'bx) complain("a valid or ready is X");
            if ((sq_wr_valid === 1'b1 && (^wr) === 1'bx) || (sq_rd_valid === 1'b1 && (^rd) === 1'bx)) complain("a request is X");
            if (wr_waits && (!sq_wr_valid || wr !== wr_was)) complain("a write changes while it waits");
            if (rd_waits && (!sq_rd_valid || rd !== rd_was)) complain("a read changes while it waits");
            wr_waits = sq_wr_valid && !sq_wr_ready;
            rd_waits = sq_rd_valid && !sq_rd_ready;
            wr_was   = wr;
            rd_was   = rd;
            if (sq_wr_valid && sq_wr_ready) taken_write;
            if (sq_rd_valid && sq_rd_ready) taken_read;
            for (int k = 0; k < N; k++) begin
                roll;
                move(k);
            end
            sq_wr_ready <= cycle >= wr_free && !(sq_wr_valid && sq_wr_ready);
            sq_rd_ready <= cycle >= rd_free && !(sq_rd_valid && sq_rd_ready);

            cq_wr_valid <= 1'b0;
            found = cq_wr_valid;
            for (int j = 0; j < N; j++) begin
                who = (j + cycle) % N;
                if (!found && w_out[who] < w_whole[who] && cycle >= w_due[who*OPEN + w_out[who] % OPEN]) begin
                    found = 1'b1;
                    cq_wr_valid <= 1'b1;
                    cq_wr_dest  <= DESTS[4*who +: 4];
                    cq_wr_host  <= HOSTS[who];
                    w_out[who] = w_out[who] + 1;
                end
            end
        end
    endtask
endmodule

`default_nettype wire
