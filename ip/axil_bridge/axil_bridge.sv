// SPDX-License-Identifier: BSD-3-Clause
//
// axil_bridge - reaches a large AXI4-Lite space through a small window.
//
// The lower half of the window holds registers, the upper half is the aperture: its byte `a` is byte
// {PAGE, a} of the far space. DATA reaches the word at ADDRESS, which then moves on by 4, so that a block of
// W words takes W + 1 writes. Writes to the far space are posted: the host is answered at once, and LEVEL
// says how many are still to be done; the host need not poll, since a full FIFO makes it wait. A read of the
// far space comes after every write before it. The first far access that is not answered OKAY is kept
// with its address, until the host clears it; a read's answer is also the host's answer.
//
//   offset  name            access
//   0x00    ID              r       0x53474252, "SGBR"
//   0x04    GEOMETRY        r       What the bridge was built with
//           [7:0] WINDOW    r       WINDOW_W: address bits of its window
//           [15:8] FAR      r       FAR_W: far address bits
//           [31:16] POSTED  r       DEPTH: posted writes that fit
//   0x08    PAGE            rw      Page of the aperture
//   0x0C    ADDRESS         rw      Far byte address of the next access through DATA, a multiple of 4
//   0x10    DATA            rw      The far word at ADDRESS, which then moves on by 4
//   0x14    LEVEL           r       How far it has come
//           [15:0] POSTED   r       Posted writes that are not answered yet
//           [31] ERROR      r       An error is kept
//   0x18    ERROR           r/w1c   The first far access that was not answered OKAY
//           [0] KEPT        r/w1c   There is one; writing 1 clears it
//           [2:1] RESPONSE  r       Its answer
//           [3] READ        r       It was a read
//   0x1C    ERROR_ADDRESS   r       Far byte address of the error that is kept
//   others                  r       0; writes are ignored
//
// PAGE and ADDRESS take whole words only; a write with other strobes is ignored. WSTRB reaches the far space.
// One host access at a time; when a read and a write come together they take turns.
//
// Throughput  one host access per 4 cycles; one posted write per 3 cycles and the far side's latency
// Latency     2 cycles from the taken address to the answer of a register or a posted write; a far read 3 and the
//             far side's latency
// Paths       every output is a flop, or a multiplexer of flops; no input reaches an output
// Resources   about 150 + 4*FAR_W LUT and 130 + 5*FAR_W FF, and DEPTH words of FAR_W + 34 bits
//             of LUTRAM, which the LUT include
// Liveness    every access is answered when the far side answers; an axil_crossbar there always does
//
// Parameters: WINDOW_W  log2 of the window's bytes, 6 to FAR_W
//             FAR_W     address bits of the far space, up to 32
//             DEPTH     posted writes that fit, 2 to 32768
// Checked by: test_axil_bridge.py
`default_nettype none

module axil_bridge #(
    parameter int WINDOW_W = 16,
    parameter int FAR_W    = 32,
    parameter int DEPTH    = 16
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [WINDOW_W-1:0] s_axil_awaddr,
    input  wire  [2:0]          s_axil_awprot,
    input  wire                 s_axil_awvalid,
    output logic                s_axil_awready,
    input  wire  [31:0]         s_axil_wdata,
    input  wire  [3:0]          s_axil_wstrb,
    input  wire                 s_axil_wvalid,
    output logic                s_axil_wready,
    output logic [1:0]          s_axil_bresp,
    output logic                s_axil_bvalid,
    input  wire                 s_axil_bready,
    input  wire  [WINDOW_W-1:0] s_axil_araddr,
    input  wire  [2:0]          s_axil_arprot,
    input  wire                 s_axil_arvalid,
    output logic                s_axil_arready,
    output logic [31:0]         s_axil_rdata,
    output logic [1:0]          s_axil_rresp,
    output logic                s_axil_rvalid,
    input  wire                 s_axil_rready,

    output logic [FAR_W-1:0]    m_axil_awaddr,
    output logic [2:0]          m_axil_awprot,
    output logic                m_axil_awvalid,
    input  wire                 m_axil_awready,
    output logic [31:0]         m_axil_wdata,
    output logic [3:0]          m_axil_wstrb,
    output logic                m_axil_wvalid,
    input  wire                 m_axil_wready,
    input  wire  [1:0]          m_axil_bresp,
    input  wire                 m_axil_bvalid,
    output logic                m_axil_bready,
    output logic [FAR_W-1:0]    m_axil_araddr,
    output logic [2:0]          m_axil_arprot,
    output logic                m_axil_arvalid,
    input  wire                 m_axil_arready,
    input  wire  [31:0]         m_axil_rdata,
    input  wire  [1:0]          m_axil_rresp,
    input  wire                 m_axil_rvalid,
    output logic                m_axil_rready
);

    generate
        if (FAR_W < 6 || FAR_W > 32) begin : g_check_far_w
            FAR_W_must_be_6_to_32 parameter_error();
        end
        if (WINDOW_W < 6 || WINDOW_W > FAR_W) begin : g_check_window_w
            WINDOW_W_must_be_6_to_FAR_W parameter_error();
        end
        if (DEPTH < 2 || DEPTH > 32768) begin : g_check_depth
            DEPTH_must_be_2_to_32768 parameter_error();
        end
    endgenerate

    // ---- registers, from registers.json ----------------------------------------------------------
    localparam logic [4:0] AT_ID = 5'h00;
    localparam logic [31:0] IS_ID = 32'h53474252;
    localparam logic [4:0] AT_GEOMETRY = 5'h04;
    localparam int GEOMETRY_WINDOW = 0;
    localparam int GEOMETRY_FAR = 8;
    localparam int GEOMETRY_POSTED = 16;
    localparam logic [4:0] AT_PAGE = 5'h08;
    localparam logic [4:0] AT_ADDRESS = 5'h0C;
    localparam logic [4:0] AT_DATA = 5'h10;
    localparam logic [4:0] AT_LEVEL = 5'h14;
    localparam int LEVEL_POSTED = 0;
    localparam int LEVEL_ERROR = 31;
    localparam logic [4:0] AT_ERROR = 5'h18;
    localparam int ERROR_KEPT = 0;
    localparam int ERROR_RESPONSE = 1;
    localparam int ERROR_READ = 3;
    localparam logic [4:0] AT_ERROR_ADDRESS = 5'h1C;

    localparam int APERTURE_W = WINDOW_W - 1;
    localparam int PAGE_W     = FAR_W - APERTURE_W;
    localparam int WORD_W     = FAR_W - 2;
    localparam int LEVEL_W    = $clog2(DEPTH + 2);

    localparam logic [2:0] IDLE = 3'd0, DECODE = 3'd1, ACT = 3'd2, FAR = 3'd3, ANSWER = 3'd4;

    logic [2:0]          state_q;
    logic                write_q, turn_q;      // what is in hand; whose turn it is when both ask
    logic [WINDOW_W-1:2] at_q;
    logic [31:0]         wdata_q;
    logic [3:0]          wstrb_q;
    logic                known_q;              // of the access in hand
    logic                far_q, data_q;
    logic [2:0]          register_q;
    logic [WORD_W-1:0]   far_word_q;

    logic [PAGE_W-1:0]   page_q;
    logic [WORD_W-1:0]   address_q;
    logic                error_q, error_read_q;
    logic [1:0]          error_resp_q;
    logic [WORD_W-1:0]   error_word_q;

    logic [31:0]         rdata_q;
    logic [1:0]          rresp_q;
    logic                bvalid_q, rvalid_q, awready_q, arready_q;

    // ---- posted writes, one at a time to the far side
    logic                post_ready, post_valid;
    logic [WORD_W-1:0]   post_word;
    logic [LEVEL_W-1:0]  level;
    logic                aw_q, w_q, b_q;       // what the posted write in hand still needs
    logic                quiet_q;              // no posted write is left, as of a cycle ago

    wire take_write = s_axil_awvalid && s_axil_wvalid && (turn_q || !s_axil_arvalid);
    wire take_read  = s_axil_arvalid && !take_write;
    wire post       = state_q == ACT && write_q && far_q;
    wire aperture   = at_q[WINDOW_W-1];
    wire at_data    = !aperture && at_q[APERTURE_W-1:2] == (APERTURE_W-2)'(AT_DATA[4:2]);
    wire whole      = wstrb_q == 4'b1111;
    wire wrote      = b_q && m_axil_bvalid;
    wire got        = m_axil_rready && m_axil_rvalid;

    axis_fifo #(.DATA_W(WORD_W + 36), .DEPTH(DEPTH)) u_posted (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({far_word_q, wstrb_q, wdata_q}),
        .s_axis_tvalid(post),
        .s_axis_tready(post_ready),
        .m_axis_tdata({post_word, m_axil_wstrb, m_axil_wdata}),
        .m_axis_tvalid(post_valid),
        .m_axis_tready(wrote),
        .level(level)
    );

    // The word stays at the FIFO's output until it is answered, so nothing needs to be held here.
    always_ff @(posedge aclk) begin
        if (!b_q) begin
            aw_q <= post_valid;
            w_q  <= post_valid;
            b_q  <= post_valid;
        end else begin
            if (m_axil_awready) aw_q <= 1'b0;
            if (m_axil_wready) w_q <= 1'b0;
            if (m_axil_bvalid) b_q <= 1'b0;
        end
        quiet_q <= level == '0 && !post;
        if (!aresetn) begin
            aw_q    <= 1'b0;
            w_q     <= 1'b0;
            b_q     <= 1'b0;
            quiet_q <= 1'b0;
        end
    end

    // ---- the host
    logic [31:0] value;
    always_comb begin
        case (register_q)
            AT_ID[4:2]:            value = IS_ID;
            AT_GEOMETRY[4:2]:      value = (32'(WINDOW_W) << GEOMETRY_WINDOW) | (32'(FAR_W) << GEOMETRY_FAR)
                                           | (32'(DEPTH) << GEOMETRY_POSTED);
            AT_PAGE[4:2]:          value = 32'(page_q);
            AT_ADDRESS[4:2]:       value = 32'({address_q, 2'b00});
            AT_LEVEL[4:2]:         value = (32'(error_q) << LEVEL_ERROR) | (32'(level) << LEVEL_POSTED);
            AT_ERROR[4:2]:         value = (32'(error_q) << ERROR_KEPT) | (32'(error_read_q && error_q) << ERROR_READ)
                                           | (32'(error_q ? error_resp_q : 2'b00) << ERROR_RESPONSE);
            AT_ERROR_ADDRESS[4:2]: value = 32'({error_word_q, 2'b00});
            default:               value = 32'd0;
        endcase
    end

    always_ff @(posedge aclk) begin
        awready_q <= 1'b0;
        arready_q <= 1'b0;
        case (state_q)
            IDLE: begin
                write_q <= take_write;
                at_q    <= take_write ? s_axil_awaddr[WINDOW_W-1:2] : s_axil_araddr[WINDOW_W-1:2];
                wdata_q <= s_axil_wdata;
                wstrb_q <= s_axil_wstrb;
                if (take_write || take_read) begin
                    state_q   <= DECODE;
                    turn_q    <= take_read;
                    awready_q <= take_write;
                    arready_q <= take_read;
                end
            end
            DECODE: begin
                state_q    <= ACT;
                register_q <= at_q[4:2];
                known_q    <= !aperture && at_q[APERTURE_W-1:2] >> 3 == '0;
                far_q      <= aperture || at_data;
                data_q     <= at_data;
                far_word_q <= aperture ? {page_q, at_q[APERTURE_W-1:2]} : address_q;
            end
            ACT: begin
                rdata_q <= known_q ? value : 32'd0;
                rresp_q <= 2'b00;
                if (far_q ? (write_q ? post_ready : quiet_q) : 1'b1) begin
                    state_q  <= far_q && !write_q ? FAR : ANSWER;
                    bvalid_q <= write_q;
                    rvalid_q <= !write_q && !far_q;
                    if (data_q) address_q <= address_q + 1'b1;
                    if (write_q && known_q && whole && register_q == AT_PAGE[4:2]) page_q <= wdata_q[PAGE_W-1:0];
                    if (write_q && known_q && whole && register_q == AT_ADDRESS[4:2]) address_q <= wdata_q[FAR_W-1:2];
                end
            end
            FAR: if (got) begin
                state_q  <= ANSWER;
                rdata_q  <= m_axil_rdata;
                rresp_q  <= m_axil_rresp;
                rvalid_q <= 1'b1;
            end
            default: if (write_q ? s_axil_bready : s_axil_rready) begin
                state_q  <= IDLE;
                bvalid_q <= 1'b0;
                rvalid_q <= 1'b0;
            end
        endcase

        if (!aresetn) begin
            state_q   <= IDLE;
            turn_q    <= 1'b0;
            awready_q <= 1'b0;
            arready_q <= 1'b0;
            bvalid_q  <= 1'b0;
            rvalid_q  <= 1'b0;
            page_q    <= '0;
            address_q <= '0;
        end
    end

    // ---- far reads and the first error
    logic ar_q;
    wire clear = state_q == ACT && write_q && known_q && register_q == AT_ERROR[4:2] && wstrb_q[0] && wdata_q[ERROR_KEPT];
    always_ff @(posedge aclk) begin
        if (state_q == ACT && far_q && !write_q && quiet_q) ar_q <= 1'b1;
        else if (m_axil_arready) ar_q <= 1'b0;

        if (clear) error_q <= 1'b0;
        // A read starts when no write is left, so the two never end together.
        if ((wrote && m_axil_bresp != 2'b00) || (got && m_axil_rresp != 2'b00)) begin
            error_q <= 1'b1;
            if (!error_q || clear) begin
                error_read_q <= got;
                error_resp_q <= got ? m_axil_rresp : m_axil_bresp;
                error_word_q <= got ? far_word_q : post_word;
            end
        end
        if (!aresetn) begin
            ar_q    <= 1'b0;
            error_q <= 1'b0;
        end
    end

    assign s_axil_awready = awready_q;
    assign s_axil_wready  = awready_q;
    assign s_axil_bresp   = 2'b00;
    assign s_axil_bvalid  = bvalid_q;
    assign s_axil_arready = arready_q;
    assign s_axil_rdata   = rdata_q;
    assign s_axil_rresp   = rresp_q;
    assign s_axil_rvalid  = rvalid_q;

    assign m_axil_awaddr  = {post_word, 2'b00};
    assign m_axil_awprot  = 3'b000;
    assign m_axil_awvalid = aw_q;
    assign m_axil_wvalid  = w_q;
    assign m_axil_bready  = b_q;
    assign m_axil_araddr  = {far_word_q, 2'b00};
    assign m_axil_arprot  = 3'b000;
    assign m_axil_arvalid = ar_q;
    assign m_axil_rready  = state_q == FAR;

    // PROT has no meaning here, and the two lowest address bits choose no word.
    wire unused = &{1'b0, s_axil_awprot, s_axil_arprot, s_axil_awaddr[1:0], s_axil_araddr[1:0]};

endmodule

`default_nettype wire
