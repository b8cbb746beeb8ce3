// SPDX-License-Identifier: BSD-3-Clause
//
// ring_requests - bursts of rings in memory as requests to a shell that moves data itself.
//
// Such a shell (a vFPGA of Coyote v2) has no AXI4 port. A request says where data lie, how many they are and which stream
// they take; the shell then takes exactly that many beats from the stream, or gives them; a completion says that a write is in
// memory. For each axis_ddr_fifo, this block makes a request of each of its bursts, an answer at its channel B of each
// completion, and RLAST of each last beat that is read. Write data and read data pass beside it, as wires.
//
// Rings take turns at either queue of requests: each free cycle is another ring's, so none waits for another's data. At most OPEN
// requests of a ring are under way in each direction. Completions differ by their stream, and are in order within one;
// a stream is a `dest`, of the card or of the host.
//
// What does not fit is reported and goes no further: a completion of a ring that waits for none, a completion of no ring (to all),
// a beat that no request has asked for. A TLAST elsewhere than on the last beat of a burst is reported, too.
//
// Throughput  a request in 2 cycles, in each direction; an answer and a beat per cycle
// Latency     a request leaves N + 1 cycles after its burst began, at most; an answer takes 1 cycle, a beat none
// Paths       sq_*_*, s_axi_bvalid behind two gates and s_axi_rlast come from flops; s_axi_*ready are flops and a gate;
//             from recv_tvalid one gate to s_axi_rvalid
// Resources   for each direction a register of ADDR_W + 6 bits and a multiplexer of N; 20 LUT and 25 FF for each ring
//
// Parameters: N       rings, 1 to 8
//             ADDR_W  bits of an address: the number of the thread in whose page table it is, above the virtual address
//             BURST   beats of a burst, a power of two from 2 on
//             OPEN    see above, a power of two
//             DESTS   number of each ring's stream, 4 bits each
//             HOSTS   bit k: the stream of ring k is one of the host, else of the card
// Checked by: test_ring_requests.py
`default_nettype none

module ring_requests #(
    parameter int N      = 1,
    parameter int ADDR_W = 54,
    parameter int BURST  = 64,
    parameter int OPEN   = 16,
    parameter logic [4*N-1:0] DESTS = (4*N)'(32'h7654_3210),
    parameter logic [N-1:0]   HOSTS = '0
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    // of axis_ddr_fifo, each
    input  wire  [N*ADDR_W-1:0] s_axi_awaddr,
    input  wire  [N-1:0]        s_axi_awvalid,
    output logic [N-1:0]        s_axi_awready,
    output logic [N-1:0]        s_axi_bvalid,
    input  wire  [N*ADDR_W-1:0] s_axi_araddr,
    input  wire  [N-1:0]        s_axi_arvalid,
    output logic [N-1:0]        s_axi_arready,
    output logic [N-1:0]        s_axi_rlast,
    output logic [N-1:0]        s_axi_rvalid,

    // beats that are read, each ring's stream
    input  wire  [N-1:0]        recv_tlast,
    input  wire  [N-1:0]        recv_tvalid,

    // requests and completions
    output logic [ADDR_W-1:0]   sq_wr_addr,
    output logic [3:0]          sq_wr_dest,
    output logic                sq_wr_host,
    output logic                sq_wr_valid,
    input  wire                 sq_wr_ready,
    output logic [ADDR_W-1:0]   sq_rd_addr,
    output logic [3:0]          sq_rd_dest,
    output logic                sq_rd_host,
    output logic                sq_rd_valid,
    input  wire                 sq_rd_ready,
    input  wire  [3:0]          cq_wr_dest,
    input  wire                 cq_wr_host,
    input  wire                 cq_wr_valid,

    output logic [N-1:0]        write_fault,   // see above
    output logic [N-1:0]        read_fault
);

    localparam int BEAT_W = $clog2(BURST);
    localparam int OPEN_W = $clog2(OPEN) + 1;
    localparam int KEY_W  = 5;               // of a stream: its kind and its number

    generate
        if (N < 1 || N > 8) begin : g_check_n
            N_must_be_1_to_8 parameter_error();
        end
        if (ADDR_W < 32 || ADDR_W > 64) begin : g_check_addr_w
            ADDR_W_must_be_32_to_64 parameter_error();
        end
        if (BURST < 2 || (BURST & (BURST - 1)) != 0) begin : g_check_burst
            BURST_must_be_a_power_of_two_from_2_on parameter_error();
        end
        if (OPEN < 1 || (OPEN & (OPEN - 1)) != 0) begin : g_check_open
            OPEN_must_be_a_power_of_two parameter_error();
        end
    endgenerate

    // Writes are the lower half of each vector, reads the upper one.
    wire  [2*N*ADDR_W-1:0] addr  = {s_axi_araddr, s_axi_awaddr};
    wire  [2*N-1:0]        valid = {s_axi_arvalid, s_axi_awvalid};
    logic [2*N-1:0]        ready, some, done;
    logic [2*ADDR_W-1:0]   sq_addr;
    logic [2*KEY_W-1:0]    sq_key;
    logic [1:0]            sq_valid;
    wire  [1:0]            sq_ready = {sq_rd_ready, sq_wr_ready};

    assign {s_axi_arready, s_axi_awready} = ready;
    assign {sq_rd_addr, sq_wr_addr}       = sq_addr;
    assign {sq_rd_host, sq_rd_dest, sq_wr_host, sq_wr_dest} = sq_key;
    assign {sq_rd_valid, sq_wr_valid}     = sq_valid;

    // ---- requests --------------------------------------------------------------------------------

    generate
        for (genvar way = 0; way < 2; way++) begin : g_way
            logic [N-1:0]        turn_q, who_q;   // the ring that may begin one now; the one whose request waits
            logic                valid_q;
            logic [ADDR_W-1:0]   addr_q, addr_d;
            logic [KEY_W-1:0]    key_q, key_d;
            logic [N*OPEN_W-1:0] open_q;          // requests that the shell has taken, each
            wire  [N-1:0]        take = valid[way*N +: N] & ready[way*N +: N];
            wire                 fire = valid_q && sq_ready[way];

            always_comb begin
                addr_d = '0;
                key_d  = '0;
                for (int k = 0; k < N; k++) begin
                    addr_d = addr_d | (addr[(way*N + k)*ADDR_W +: ADDR_W] & {ADDR_W{turn_q[k]}});
                    key_d  = key_d | ({HOSTS[k], DESTS[4*k +: 4]} & {KEY_W{turn_q[k]}});
                    // No more than OPEN: the top bit of the count is set from then on.
                    ready[way*N + k] = turn_q[k] && !valid_q && !open_q[k*OPEN_W + OPEN_W - 1];
                    some[way*N + k]  = open_q[k*OPEN_W +: OPEN_W] != '0;
                end
            end

            always_ff @(posedge aclk) begin
                valid_q <= take != '0 || (valid_q && !sq_ready[way]);
                if (!valid_q) begin
                    addr_q <= addr_d;
                    key_q  <= key_d;
                    who_q  <= turn_q;
                    turn_q <= N'({turn_q, turn_q} >> (N - 1));
                end
                for (int k = 0; k < N; k++)
                    if ((fire && who_q[k]) != done[way*N + k])
                        open_q[k*OPEN_W +: OPEN_W] <= open_q[k*OPEN_W +: OPEN_W] + (done[way*N + k] ? '1 : OPEN_W'(1));

                if (!aresetn) begin
                    valid_q <= 1'b0;
                    turn_q  <= N'(1);
                    open_q  <= '0;
                end
            end
            assign sq_valid[way]                  = valid_q;
            assign sq_addr[way*ADDR_W +: ADDR_W]  = addr_q;
            assign sq_key[way*KEY_W +: KEY_W]     = key_q;
        end
    endgenerate

    // ---- completions of writes -------------------------------------------------------------------

    logic             cq_valid_q;
    logic [KEY_W-1:0] cq_key_q;
    logic [N-1:0]     mine;

    always_comb
        for (int k = 0; k < N; k++) mine[k] = cq_valid_q && cq_key_q == {HOSTS[k], DESTS[4*k +: 4]};

    always_ff @(posedge aclk) begin
        cq_valid_q  <= aresetn && cq_wr_valid;
        cq_key_q    <= {cq_wr_host, cq_wr_dest};
        write_fault <= aresetn ? (mine & ~some[N-1:0]) | {N{cq_valid_q && mine == '0}} : '0;
    end
    assign s_axi_bvalid = mine & some[N-1:0];
    assign done[N-1:0]  = s_axi_bvalid;

    // ---- beats that are read ---------------------------------------------------------------------

    logic [N*BEAT_W-1:0] beat_q;

    always_comb
        for (int k = 0; k < N; k++) begin
            s_axi_rvalid[k] = recv_tvalid[k] && some[N + k];
            s_axi_rlast[k]  = &beat_q[k*BEAT_W +: BEAT_W];
        end
    assign done[2*N-1:N] = s_axi_rvalid & s_axi_rlast;

    always_ff @(posedge aclk) begin
        for (int k = 0; k < N; k++)
            if (s_axi_rvalid[k]) beat_q[k*BEAT_W +: BEAT_W] <= beat_q[k*BEAT_W +: BEAT_W] + 1'b1;
        read_fault <= aresetn ? recv_tvalid & (~some[2*N-1:N] | (recv_tlast ^ s_axi_rlast)) : '0;

        if (!aresetn) beat_q <= '0;
    end

endmodule

`default_nettype wire
