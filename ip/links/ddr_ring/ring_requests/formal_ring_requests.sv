// SPDX-License-Identifier: BSD-3-Clause
//
// formal_ring_requests - the proof of ring_requests, for an arbitrary ring, whatever the others, the shell and memory do.
//
// Completions, beats and the readiness of the shell are free. Asserted of the ring:
//   request    what waits at a queue with its number is the burst that it has begun, and one that has begun waits there
//   limit      no more than OPEN of its requests are under way in either direction
//   answer     it gets an answer in the cycle after each completion of its stream, if a request was under way
//   beats      it gets each beat while a read is under way, and rlast with each last beat of a burst
//   reported   what does not fit is reported once, and nothing else is
//   progress   while it may begin a burst, one that waits is taken in time
//   stable     a request that waits stays (formal_sink)
`default_nettype none

module formal_ring_requests #(
    parameter int N      = 2,
    parameter int ADDR_W = 32,
    parameter int BURST  = 2,
    parameter int OPEN   = 2,
    parameter logic [4*N-1:0] DESTS = (4*N)'(32'h7654_3210),
    parameter logic [N-1:0]   HOSTS = '0,
    parameter int STALL  = 1
) (
    input wire         aclk,
    input wire         aresetn,
    input wire [N-1:0] awvalid,
    input wire [N-1:0] arvalid,
    input wire [N-1:0] awbit,
    input wire [N-1:0] arbit,
    input wire [N-1:0] recv_tlast,
    input wire [N-1:0] recv_tvalid,
    input wire         sq_wr_ready,
    input wire         sq_rd_ready,
    input wire [3:0]   cq_wr_dest,
    input wire         cq_wr_host,
    input wire         cq_wr_valid
);

    localparam int COUNT_W = $clog2(OPEN + 2);
    localparam int ID_W    = N > 1 ? $clog2(N) : 1;
    localparam int BEAT_W  = $clog2(BURST);

    (* anyconst *) logic [ID_W-1:0]           which;
    (* anyconst *) logic [$clog2(ADDR_W)-1:0] place;

    // One arbitrary bit of an address stands for all.
    logic [N*ADDR_W-1:0] awaddr, araddr;
    always_comb begin
        awaddr = '0;
        araddr = '0;
        for (int k = 0; k < N; k++) begin
            awaddr[k*ADDR_W + 32'(place)] = awbit[k];
            araddr[k*ADDR_W + 32'(place)] = arbit[k];
        end
        assume (32'(which) < N && 32'(place) < ADDR_W);
    end

    wire [N-1:0]      awready, bvalid, arready, rlast, rvalid, write_fault, read_fault;
    wire [ADDR_W-1:0] sq_wr_addr, sq_rd_addr;
    wire [3:0]        sq_wr_dest, sq_rd_dest;
    wire              sq_wr_host, sq_rd_host, sq_wr_valid, sq_rd_valid;

    ring_requests #(
        .N(N), .ADDR_W(ADDR_W), .BURST(BURST), .OPEN(OPEN), .DESTS(DESTS), .HOSTS(HOSTS)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn), .s_axi_awaddr(awaddr), .s_axi_awvalid(awvalid), .s_axi_awready(awready),
        .s_axi_bvalid(bvalid), .s_axi_araddr(araddr), .s_axi_arvalid(arvalid), .s_axi_arready(arready),
        .s_axi_rlast(rlast), .s_axi_rvalid(rvalid), .recv_tlast(recv_tlast), .recv_tvalid(recv_tvalid),
        .sq_wr_addr(sq_wr_addr), .sq_wr_dest(sq_wr_dest), .sq_wr_host(sq_wr_host), .sq_wr_valid(sq_wr_valid),
        .sq_wr_ready(sq_wr_ready), .sq_rd_addr(sq_rd_addr), .sq_rd_dest(sq_rd_dest), .sq_rd_host(sq_rd_host),
        .sq_rd_valid(sq_rd_valid), .sq_rd_ready(sq_rd_ready), .cq_wr_dest(cq_wr_dest), .cq_wr_host(cq_wr_host),
        .cq_wr_valid(cq_wr_valid), .write_fault(write_fault), .read_fault(read_fault)
    );

    // ---- what is expected of the ring ------------------------------------------------------------

    wire [4:0]          key     = {HOSTS[which], DESTS[4*which +: 4]};
    wire                its_wr  = sq_wr_valid && {sq_wr_host, sq_wr_dest} == key;
    wire                its_rd  = sq_rd_valid && {sq_rd_host, sq_rd_dest} == key;
    logic               wr_waits_q, rd_waits_q, wr_bit_q, rd_bit_q;
    logic [COUNT_W-1:0] wr_open_q, rd_open_q;
    logic [BEAT_W-1:0]  beat_q;
    logic               came_q, alien_q, wr_bad_q, rd_bad_q;

    logic known;  // the completion is of some ring
    always_comb begin
        known = 1'b0;
        for (int k = 0; k < N; k++) known = known || {cq_wr_host, cq_wr_dest} == {HOSTS[k], DESTS[4*k +: 4]};
    end
    wire got    = came_q && wr_open_q != '0;
    wire passes = recv_tvalid[which] && rd_open_q != '0;
    wire last   = &beat_q;

    always_ff @(posedge aclk) begin
        wr_waits_q <= (awvalid[which] && awready[which]) || (wr_waits_q && !(its_wr && sq_wr_ready));
        rd_waits_q <= (arvalid[which] && arready[which]) || (rd_waits_q && !(its_rd && sq_rd_ready));
        if (awvalid[which] && awready[which]) wr_bit_q <= awbit[which];
        if (arvalid[which] && arready[which]) rd_bit_q <= arbit[which];
        wr_open_q <= wr_open_q + COUNT_W'(its_wr && sq_wr_ready) - COUNT_W'(got);
        rd_open_q <= rd_open_q + COUNT_W'(its_rd && sq_rd_ready) - COUNT_W'(passes && last);
        came_q    <= cq_wr_valid && {cq_wr_host, cq_wr_dest} == key;
        alien_q   <= cq_wr_valid && !known;
        wr_bad_q  <= (came_q && !got) || alien_q;
        rd_bad_q  <= recv_tvalid[which] && (!passes || recv_tlast[which] != last);
        if (passes) beat_q <= beat_q + 1'b1;

        if (!aresetn) begin
            {wr_waits_q, rd_waits_q, came_q, alien_q, wr_bad_q, rd_bad_q} <= '0;
            wr_open_q <= '0;
            rd_open_q <= '0;
            beat_q    <= '0;
        end
    end

    always_comb if (aresetn) begin
        request:      assert (its_wr == wr_waits_q && (!its_wr || sq_wr_addr[place] == wr_bit_q));
        request_read: assert (its_rd == rd_waits_q && (!its_rd || sq_rd_addr[place] == rd_bit_q));
        limit:        assert (wr_open_q <= COUNT_W'(OPEN) && rd_open_q <= COUNT_W'(OPEN)
                              && !(its_wr && wr_open_q == COUNT_W'(OPEN)) && !(its_rd && rd_open_q == COUNT_W'(OPEN)));
        answer:       assert (bvalid[which] == got);
        beats:        assert (rvalid[which] == passes && rlast[which] == last);
        reported:     assert (write_fault[which] == wr_bad_q && read_fault[which] == rd_bad_q);
    end

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    // A ring that waits is taken within its turn: N of the cycles in which a request may begin, each STALL + 2 apart.
    formal_source #(.DATA_W(1), .POLITE(1), .QUIET(0), .WITHIN(N * (STALL + 2))) u_write (
        .aclk(aclk), .aresetn(aresetn), .fair(wr_open_q != COUNT_W'(OPEN) && !wr_waits_q), .tdata(awbit[which]),
        .tvalid(awvalid[which]), .tready(awready[which])
    );
    formal_source #(.DATA_W(1), .POLITE(1), .QUIET(0), .WITHIN(N * (STALL + 2))) u_read (
        .aclk(aclk), .aresetn(aresetn), .fair(rd_open_q != COUNT_W'(OPEN) && !rd_waits_q), .tdata(arbit[which]),
        .tvalid(arvalid[which]), .tready(arready[which])
    );
    formal_sink #(.DATA_W(6), .STALL(STALL)) u_sq_wr (
        .aclk(aclk), .aresetn(aresetn), .pending(1'b0), .tdata({sq_wr_addr[place], sq_wr_host, sq_wr_dest}),
        .tvalid(sq_wr_valid), .tready(sq_wr_ready)
    );
    formal_sink #(.DATA_W(6), .STALL(STALL)) u_sq_rd (
        .aclk(aclk), .aresetn(aresetn), .pending(1'b0), .tdata({sq_rd_addr[place], sq_rd_host, sq_rd_dest}),
        .tvalid(sq_rd_valid), .tready(sq_rd_ready)
    );

    // The proof is not empty: all requests were under way, an answer and a burst came, and so did what does not fit.
    always_comb if (aresetn) begin
        full:     cover (wr_open_q == COUNT_W'(OPEN) && rd_open_q == COUNT_W'(OPEN));
        answered: cover (bvalid[which] && wr_open_q == COUNT_W'(OPEN));
        whole:    cover (passes && last);
        alien:    cover (write_fault == '1 && read_fault[which]);
    end

endmodule

`default_nettype wire
