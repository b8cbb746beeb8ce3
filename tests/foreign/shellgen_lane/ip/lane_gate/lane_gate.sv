// SPDX-License-Identifier: BSD-3-Clause
//
// lane_gate - registers of a lane: what may pass, and what has passed.
//
// Throughput  an access takes three cycles
// Latency     1 cycle
// Resources   about 100 LUT, 140 FF
//
// Parameters: OPEN  1: packets pass from reset on
`default_nettype none

module lane_gate #(
    parameter bit OPEN = 1
) (
    input  wire         aclk,
    input  wire         aresetn,

    input  wire  [5:0]  s_axil_awaddr,
    input  wire  [2:0]  s_axil_awprot,
    input  wire         s_axil_awvalid,
    output logic        s_axil_awready,
    input  wire  [31:0] s_axil_wdata,
    input  wire  [3:0]  s_axil_wstrb,
    input  wire         s_axil_wvalid,
    output logic        s_axil_wready,
    output logic [1:0]  s_axil_bresp,
    output logic        s_axil_bvalid,
    input  wire         s_axil_bready,
    input  wire  [5:0]  s_axil_araddr,
    input  wire  [2:0]  s_axil_arprot,
    input  wire         s_axil_arvalid,
    output logic        s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [1:0]  s_axil_rresp,
    output logic        s_axil_rvalid,
    input  wire         s_axil_rready,

    input  wire         received,  // the last beat of a packet passes
    input  wire         sent,
    output logic        receive,
    output logic        send
);
    logic [31:0] received_q, sent_q;
    wire         unused = &{1'b0, s_axil_awprot, s_axil_arprot, s_axil_wstrb[3:1], s_axil_awaddr[1:0],
                            s_axil_araddr[1:0], s_axil_wdata[31:2]};

    assign s_axil_awready = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
    assign s_axil_wready  = s_axil_awready;
    assign s_axil_arready = !s_axil_rvalid;
    assign s_axil_bresp   = 2'b00;
    assign s_axil_rresp   = 2'b00;

    always_ff @(posedge aclk) begin
        if (s_axil_awready) begin
            s_axil_bvalid <= 1'b1;
            if (s_axil_awaddr[5:2] == 4'd1 && s_axil_wstrb[0]) {send, receive} <= s_axil_wdata[1:0];
        end else if (s_axil_bready) s_axil_bvalid <= 1'b0;
        if (s_axil_arready && s_axil_arvalid) begin
            s_axil_rvalid <= 1'b1;
            case (s_axil_araddr[5:2])
                4'd0:    s_axil_rdata <= 32'h4C41_4E45;
                4'd1:    s_axil_rdata <= {30'd0, send, receive};
                4'd2:    s_axil_rdata <= received_q;
                4'd3:    s_axil_rdata <= sent_q;
                default: s_axil_rdata <= 32'd0;
            endcase
        end else if (s_axil_rready) s_axil_rvalid <= 1'b0;
        if (received) received_q <= received_q + 32'd1;
        if (sent) sent_q <= sent_q + 32'd1;
        if (!aresetn) begin
            s_axil_bvalid <= 1'b0;
            s_axil_rvalid <= 1'b0;
            receive       <= OPEN;
            send          <= OPEN;
            received_q    <= 32'd0;
            sent_q        <= 32'd0;
        end
    end
endmodule

`default_nettype wire
