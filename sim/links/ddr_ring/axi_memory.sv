// SPDX-License-Identifier: BSD-3-Clause
//
// axi_memory - simulation only: a memory behind an AXI4 slave, which holds its master to the rules.
//
// A burst is answered LATENCY cycles after its last beat was taken, and read LATENCY cycles after its address was; then
// beats are one per cycle, in each direction. With STALL, each channel rests in as many of 100 cycles, at random. Answers
// are in order. A write takes effect when all of it is there; one that is answered with a fault has none, and what is read
// with a fault is inverted. Reset forgets what is under way, and keeps the contents.
//
// `error` rises, for good, and a message names the reason, when the master
//   lets a valid fall, or changes what waits for ready
//   asks for a burst that is not of whole beats, not incrementing, beyond the memory or across 4 KiB
//   sets wlast elsewhere than on the last beat
//   reads what it has written before that write is answered, or writes what it is still reading
//   drives X at a valid, ready or payload (visible to a four-state simulator only)
//
// Parameters: DATA_W, ADDR_W  bits
//             BASE, BYTES     where the memory is, and its size
//             LATENCY, STALL  see above
//             SEED            of the dice
//             WAIT            1: an address of a write is taken only when its first beat is there, as AXI allows
//             FAULT_AT, FAULT_BYTES  bursts that begin at BASE + FAULT_AT, or up to FAULT_BYTES further, get SLVERR
//             FAULT_EVERY     so does every burst of this number, of writes and of reads; 0: none
`default_nettype none

module axi_memory #(
    parameter int DATA_W = 64,
    parameter int ADDR_W = 32,
    parameter logic [63:0] BASE = 64'd0,
    parameter int BYTES = 65536,
    parameter int LATENCY = 64,
    parameter int STALL = 0,
    parameter int SEED = 1,
    parameter bit WAIT = 0,
    parameter int FAULT_AT = 0,
    parameter int FAULT_BYTES = 0,
    parameter int FAULT_EVERY = 0
) (
    input  wire                 aclk,
    input  wire                 aresetn,
    input  wire  [ADDR_W-1:0]   s_axi_awaddr,
    input  wire  [7:0]          s_axi_awlen,
    input  wire  [2:0]          s_axi_awsize,
    input  wire  [1:0]          s_axi_awburst,
    input  wire  [3:0]          s_axi_awcache,
    input  wire  [2:0]          s_axi_awprot,
    input  wire                 s_axi_awvalid,
    output logic                s_axi_awready,
    input  wire  [DATA_W-1:0]   s_axi_wdata,
    input  wire  [DATA_W/8-1:0] s_axi_wstrb,
    input  wire                 s_axi_wlast,
    input  wire                 s_axi_wvalid,
    output logic                s_axi_wready,
    output logic [1:0]          s_axi_bresp,
    output logic                s_axi_bvalid,
    input  wire                 s_axi_bready,
    input  wire  [ADDR_W-1:0]   s_axi_araddr,
    input  wire  [7:0]          s_axi_arlen,
    input  wire  [2:0]          s_axi_arsize,
    input  wire  [1:0]          s_axi_arburst,
    input  wire  [3:0]          s_axi_arcache,
    input  wire  [2:0]          s_axi_arprot,
    input  wire                 s_axi_arvalid,
    output logic                s_axi_arready,
    output logic [DATA_W-1:0]   s_axi_rdata,
    output logic [1:0]          s_axi_rresp,
    output logic                s_axi_rlast,
    output logic                s_axi_rvalid,
    input  wire                 s_axi_rready,
    output logic                error
);
    localparam int UNIT  = DATA_W / 8;
    localparam int WORDS = BYTES / UNIT;
    localparam int OPEN  = 64;    // bursts under way in each direction
    localparam int BEATS = 1024;  // of bursts whose last beat or whose address is not there yet

    localparam int A_W = ADDR_W + 20;
    localparam int W_W = DATA_W + UNIT + 1;
    wire [A_W-1:0] aw = {s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst, s_axi_awcache, s_axi_awprot};
    wire [A_W-1:0] ar = {s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst, s_axi_arcache, s_axi_arprot};
    wire [W_W-1:0] w  = {s_axi_wlast, s_axi_wstrb, s_axi_wdata};

    logic [DATA_W-1:0] mem [0:WORDS-1];
    logic [W_W-1:0]    beat [0:BEATS-1];
    // Of each burst under way: first word, its last beat, when it is due, whether it gets a fault.
    int                aw_at [0:OPEN-1], aw_len [0:OPEN-1], b_due [0:OPEN-1];
    int                ar_at [0:OPEN-1], ar_len [0:OPEN-1], r_due [0:OPEN-1];
    logic              b_bad [0:OPEN-1], r_bad [0:OPEN-1];
    // How many: addresses taken, bursts whole, answers begun and taken; beats taken and used; bursts whose last beat is there.
    int                aw_in, w_whole, b_begun, b_out, beat_in, beat_used, last_in;
    int                ar_in, r_begun, r_out, r_beat;
    int                cycle, length;
    logic [31:0]       dice;
    logic              aw_waits, w_waits, ar_waits;
    logic [A_W-1:0]    aw_was, ar_was;
    logic [W_W-1:0]    w_was, one;

    function automatic logic rests(input logic [31:0] draw);
        rests = int'(draw % 32'd100) < STALL;
    endfunction

    function automatic logic faulty(input int at, input int number);
        faulty = (FAULT_BYTES != 0 && at * UNIT >= FAULT_AT && at * UNIT < FAULT_AT + FAULT_BYTES)
            || (FAULT_EVERY != 0 && (number + 1) % FAULT_EVERY == 0);
    endfunction

    task automatic complain(input logic [8*48-1:0] reason);
        if (!error) $display("axi_memory: %0s, at cycle %0d (%m)", reason, cycle);
        error = 1'b1;
    endtask

    // The word where a burst begins; -1, and a complaint, if it may not be.
    function automatic int place(input logic [63:0] address);
        place = address - BASE >= 64'(BYTES) ? -1 : int'((address - BASE) / 64'(UNIT));
    endfunction

    function automatic logic legal(input logic [A_W-1:7] burst);
        logic [63:0] address;
        int          bytes;
        address = 64'(burst[20 +: ADDR_W]);
        bytes   = (int'(burst[19:12]) + 1) * UNIT;
        legal   = burst[11:9] == 3'($clog2(UNIT)) && burst[8:7] == 2'b01 && address % 64'(UNIT) == 0
            && int'(address % 64'd4096) + bytes <= 4096 && place(address) >= 0 && place(address) * UNIT + bytes <= BYTES;
    endfunction

    initial begin
        error = 1'b0; cycle = 0; dice = 32'(SEED) * 32'h9E3779B1 + 32'd1;
        aw_in = 0; w_whole = 0; b_begun = 0; b_out = 0; beat_in = 0; beat_used = 0; last_in = 0;
        ar_in = 0; r_begun = 0; r_out = 0; r_beat = 0; aw_waits = 1'b0; w_waits = 1'b0; ar_waits = 1'b0;
        s_axi_awready = 1'b0; s_axi_wready = 1'b0; s_axi_arready = 1'b0; s_axi_bvalid = 1'b0; s_axi_rvalid = 1'b0;
        s_axi_bresp = 2'b00; s_axi_rresp = 2'b00; s_axi_rlast = 1'b0; s_axi_rdata = '0;
    end

    always @(posedge aclk) step;

    task step;
        cycle = cycle + 1;
        dice  = dice * 32'd1664525 + 32'd1013904223;
        if (!aresetn) begin
            aw_in = 0; w_whole = 0; b_begun = 0; b_out = 0; beat_in = 0; beat_used = 0; last_in = 0;
            ar_in = 0; r_begun = 0; r_out = 0; r_beat = 0; aw_waits = 1'b0; w_waits = 1'b0; ar_waits = 1'b0;
            s_axi_awready <= 1'b0;
            s_axi_wready  <= 1'b0;
            s_axi_arready <= 1'b0;
            s_axi_bvalid  <= 1'b0;
            s_axi_rvalid  <= 1'b0;
        end else begin
            if ((^{s_axi_awvalid, s_axi_wvalid, s_axi_arvalid, s_axi_bready, s_axi_rready}) === 1'bx)
                complain("a valid or ready is X");
            if ((s_axi_awvalid === 1'b1 && (^aw) === 1'bx) || (s_axi_arvalid === 1'b1 && (^ar) === 1'bx))
                complain("an address is X");
            if (s_axi_wvalid === 1'b1 && (^w) === 1'bx) complain("data are X");
            if (aw_waits && (!s_axi_awvalid || aw !== aw_was)) complain("aw changes while it waits");
            if (w_waits && (!s_axi_wvalid || w !== w_was)) complain("w changes while it waits");
            if (ar_waits && (!s_axi_arvalid || ar !== ar_was)) complain("ar changes while it waits");
            aw_waits = s_axi_awvalid && !s_axi_awready;
            w_waits  = s_axi_wvalid && !s_axi_wready;
            ar_waits = s_axi_arvalid && !s_axi_arready;
            aw_was   = aw;
            w_was    = w;
            ar_was   = ar;

            // Answers that are taken.
            if (s_axi_bvalid && s_axi_bready) b_out = b_out + 1;
            if (s_axi_rvalid && s_axi_rready && s_axi_rlast) r_out = r_out + 1;

            // Addresses and data that are taken.
            if (s_axi_awvalid && s_axi_awready) begin
                if (!legal(aw[A_W-1:7])) complain("a write is not a legal burst of this memory");
                aw_at[aw_in % OPEN]  = place(64'(s_axi_awaddr));
                aw_len[aw_in % OPEN] = int'(s_axi_awlen);
                for (int k = r_out; k < ar_in; k++)
                    if (ar_at[k % OPEN] <= aw_at[aw_in % OPEN] + int'(s_axi_awlen)
                        && aw_at[aw_in % OPEN] <= ar_at[k % OPEN] + ar_len[k % OPEN]) complain("a write to what is being read");
                aw_in = aw_in + 1;
            end
            if (s_axi_wvalid && s_axi_wready) begin
                beat[beat_in % BEATS] = w;
                beat_in = beat_in + 1;
                if (s_axi_wlast) last_in = last_in + 1;
            end
            if (s_axi_arvalid && s_axi_arready) begin
                if (!legal(ar[A_W-1:7])) complain("a read is not a legal burst of this memory");
                ar_at[ar_in % OPEN]  = place(64'(s_axi_araddr));
                ar_len[ar_in % OPEN] = int'(s_axi_arlen);
                r_due[ar_in % OPEN]  = cycle + LATENCY;
                r_bad[ar_in % OPEN]  = faulty(ar_at[ar_in % OPEN], ar_in);
                for (int k = b_out; k < aw_in; k++)
                    if (aw_at[k % OPEN] <= ar_at[ar_in % OPEN] + int'(s_axi_arlen)
                        && ar_at[ar_in % OPEN] <= aw_at[k % OPEN] + aw_len[k % OPEN]) complain("a read of a write not yet answered");
                ar_in = ar_in + 1;
            end

            // A burst of which all is there.
            if (w_whole < aw_in) begin
                length = aw_len[w_whole % OPEN] + 1;
                if (beat_in - beat_used >= length) begin
                    b_bad[w_whole % OPEN] = faulty(aw_at[w_whole % OPEN], w_whole);
                    for (int k = 0; k < length; k++) begin
                        one = beat[(beat_used + k) % BEATS];
                        if (one[W_W-1] !== (k == length - 1)) complain("wlast is not on the last beat");
                        if (!b_bad[w_whole % OPEN] && aw_at[w_whole % OPEN] >= 0 && aw_at[w_whole % OPEN] + k < WORDS)
                            for (int b = 0; b < UNIT; b++)
                                if (one[DATA_W + b]) mem[aw_at[w_whole % OPEN] + k][8*b +: 8] = one[8*b +: 8];
                    end
                    beat_used = beat_used + length;
                    b_due[w_whole % OPEN] = cycle + LATENCY;
                    w_whole = w_whole + 1;
                end
            end

            // What is answered in the next cycle.
            if (!s_axi_bvalid || s_axi_bready) begin
                s_axi_bvalid <= 1'b0;
                if (b_begun < w_whole && cycle >= b_due[b_begun % OPEN] && !rests(dice >> 3)) begin
                    s_axi_bvalid <= 1'b1;
                    s_axi_bresp  <= {b_bad[b_begun % OPEN], 1'b0};
                    b_begun = b_begun + 1;
                end
            end
            if (!s_axi_rvalid || s_axi_rready) begin
                s_axi_rvalid <= 1'b0;
                if (r_begun < ar_in && cycle >= r_due[r_begun % OPEN] && !rests(dice >> 7)) begin
                    s_axi_rvalid <= 1'b1;
                    s_axi_rlast  <= r_beat == ar_len[r_begun % OPEN];
                    s_axi_rresp  <= {r_bad[r_begun % OPEN], 1'b0};
                    if (ar_at[r_begun % OPEN] >= 0 && ar_at[r_begun % OPEN] + r_beat < WORDS)
                        s_axi_rdata <= mem[ar_at[r_begun % OPEN] + r_beat] ^ {DATA_W{r_bad[r_begun % OPEN]}};
                    if (r_beat == ar_len[r_begun % OPEN]) begin
                        r_beat  = 0;
                        r_begun = r_begun + 1;
                    end else begin
                        r_beat = r_beat + 1;
                    end
                end
            end

            // What may be taken in the next cycle. Of data no more than a burst is ahead of its address.
            s_axi_awready <= aw_in - b_out < OPEN - 1 && !rests(dice >> 11)
                && (!WAIT || s_axi_wvalid || beat_in != beat_used);
            s_axi_wready  <= beat_in - beat_used < BEATS - 1 && last_in <= aw_in && !rests(dice >> 15);
            s_axi_arready <= ar_in - r_out < OPEN - 1 && !rests(dice >> 5);
        end
    endtask
endmodule

`default_nettype wire
