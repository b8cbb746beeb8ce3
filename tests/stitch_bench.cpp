// SPDX-License-Identifier: BSD-3-Clause
// The clock of the bench that stitched_rtl.py writes; the argument is the number of cycles.
#include <cstdlib>

#include "Vbench.h"
#include "verilated.h"

int main(int argc, char** argv) {
    VerilatedContext context;
    Vbench bench{&context};
    const long cycles = argc > 1 ? std::atol(argv[1]) : 0;
    for (long cycle = 0; cycle < cycles; ++cycle) {
        bench.resetn = cycle > 10;
        bench.clk = 0;
        bench.eval();
        bench.clk = 1;
        bench.eval();
    }
    bench.final();
    return 0;
}
