// SPDX-License-Identifier: BSD-3-Clause
//
// The bare harness: C++ drives the ports of the chain and compares every beat; no VPI, nothing public.
// Usage: harness FRAMES BEATS REPEATS; prints the CPU seconds of each repeat.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "Vmodel.h"
#include "verilated.h"

static double cpu_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static void cycle(Vmodel& top) {
    top.aclk = 1;
    top.eval();
    top.aclk = 0;
    top.eval();
}

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const size_t frames = std::strtoul(argv[1], nullptr, 10), beats = std::strtoul(argv[2], nullptr, 10);
    const int repeats = std::atoi(argv[3]);
    VerilatedContext context;
    Vmodel top{&context};
    const size_t bytes = sizeof(top.s_axis_tdata), total = frames * beats;
    std::vector<uint8_t> data(total * bytes);
    uint64_t state = 1;
    for (uint8_t& byte : data) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        byte = state >> 56;
    }
    for (int repeat = 0; repeat < repeats; ++repeat) {
        top.aresetn = 0;
        top.s_axis_tvalid = 0;
        top.m_axis_tready = 0;
        for (int i = 0; i < 8; ++i) cycle(top);
        top.aresetn = 1;
        cycle(top);
        const double began = cpu_seconds();
        size_t sent = 0, taken = 0;
        for (size_t limit = 2 * total + 1000; taken < total && limit; --limit) {
            top.s_axis_tvalid = sent < total;
            if (sent < total) std::memcpy(&top.s_axis_tdata, &data[sent * bytes], bytes);
            top.m_axis_tready = 1;
            // Every handshake of these blocks comes from flops: what is seen now is what the edge will see.
            const bool in = top.s_axis_tvalid && top.s_axis_tready, out = top.m_axis_tvalid;
            if (out) {
                const bool last = taken % beats == beats - 1;
                if (std::memcmp(&top.m_axis_tdata, &data[taken * bytes], bytes) || top.m_axis_tlast != last) return 3;
            }
            cycle(top);
            sent += in;
            taken += out;
        }
        if (taken != total) return 4;
        std::printf("%.9f\n", cpu_seconds() - began);
    }
    top.final();
    return 0;
}
