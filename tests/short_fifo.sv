/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off WIDTHEXPAND */
// An axis_fifo that takes words only up to a level that a file states: one model, any depth.
module short_fifo #(
    parameter DATA_W = 8, parameter DEPTH = 16, parameter ROOM = 64, parameter FILE = ""
) (
    input wire aclk, input wire aresetn,
    input wire [DATA_W-1:0] s_axis_tdata, input wire s_axis_tvalid, output wire s_axis_tready,
    output wire [DATA_W-1:0] m_axis_tdata, output wire m_axis_tvalid, input wire m_axis_tready,
    output wire [$clog2(DEPTH+2)-1:0] level
);
    integer file, got;
    reg [31:0] most;
    wire ready, room;
    wire [31:0] words;

    initial begin
        file = $fopen(FILE, "r");
        got = $fscanf(file, "%d", most);
        $fclose(file);
    end
    assign room = words < most;
    assign level = words[$clog2(DEPTH+2)-1:0];
    assign words[31:$clog2(ROOM+2)] = 0;
    assign s_axis_tready = ready && room;
    axis_fifo #(.DATA_W(DATA_W), .DEPTH(ROOM)) u_fifo (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid && room), .s_axis_tready(ready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .level(words[$clog2(ROOM+2)-1:0])
    );
endmodule
