// SPDX-License-Identifier: BSD-3-Clause
//
// bench_traffic_report - simulation only: collects what a traffic bench measured and prints it when it has ended.
//
//   MEASURED set=<SET> latency=<cycles> rate=<beats per cycle> beats=<a shape's fewest> compared=<all> cycles=<all>
// Latency and rate are those of shape 0: first beat in to first beat out; beats of the busier side, or of the slowest of
// its ports, over the cycles from the first to the last. `beats` is the number on the busier side in the shape that had the fewest.
//
// Parameters: SET  number of the parameter set
`default_nettype none

module bench_traffic_report #(
    parameter int SET = 0
) (
    input  wire  [1:0]   shape,
    input  wire          closing,
    input  wire          ended,
    input  wire  [31:0]  cycle,
    input  wire  [31:0]  compared,   // beats at the sinks in this shape
    input  wire  [31:0]  beats,      // on the busier side
    input  wire  [31:0]  rated,      // those that the rate is taken from
    input  wire  [31:0]  from,       // cycle of the first of them
    input  wire  [31:0]  till,       // and of the last
    input  wire  [31:0]  first_in,
    input  wire  [31:0]  first_out
);

    int latency, rate, fewest, total, cycles;
    initial begin
        latency = 0; rate = 0; fewest = 0; total = 0; cycles = 0;
    end

    always @(posedge closing) begin
        total  = total + compared;
        cycles = cycles + cycle;
        if (shape == 2'd0) begin
            latency = first_out - first_in;
            rate    = int'(64'(rated - 32'd1) * 64'd100000 / 64'(till - from));
        end
        if (shape == 2'd0 || int'(beats) < fewest) fewest = beats;
    end

    always @(posedge ended)
        $display("MEASURED set=%0d latency=%0d rate=%0d.%05d beats=%0d compared=%0d cycles=%0d",
                 SET, latency, rate / 100000, rate % 100000, fewest, total, cycles);

endmodule

`default_nettype wire
