// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the reader of memory_map.json: a map that it takes must fit a board.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "echo_board.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
    static const std::string path = "/dev/shm/shellgen_fuzz_map_" + std::to_string(getpid());
    static const bool removed = (std::atexit([] { unlink(path.c_str()); }), true);
    (void)removed;
    std::FILE *file = std::fopen(path.c_str(), "wb");
    if (!file) std::abort();
    std::fwrite(bytes, 1, size, file);
    std::fclose(file);
    try {
        const auto node = shellgen::read_map(path, "zed0");
        // What the rest of the program does with it without asking.
        for (const auto &dma : node.dmas) {
            if (dma.mm2s && !node.streams.at(*dma.mm2s).enters) std::abort();
            if (dma.s2mm && node.streams.at(*dma.s2mm).enters) std::abort();
            shellgen::ModelMemory memory(dma.memory.front(), std::max<std::uint64_t>(64, dma.align));
        }
        for (const auto &[name, one] : node.registers) {
            const auto last = one.address + (node.streams.empty() ? 0 : node.streams.size() - 1) * one.stride;
            if (one.address < node.base || last - node.base > node.span - 4) std::abort();
        }
    } catch (const shellgen::InputError &error) {
        if (!*error.what()) std::abort();
    }
    return 0;
}
