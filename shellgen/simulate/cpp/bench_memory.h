// SPDX-License-Identifier: BSD-3-Clause
//
// How sources and sinks of sim/ move whole files under Verilator. $fread and $fwrite do the same byte
// by byte, which takes longer than the simulation itself when streams are wide; Icarus uses those.
#ifndef SHELLGEN_BENCH_MEMORY_H
#define SHELLGEN_BENCH_MEMORY_H

#include <cstdint>
#include <cstring>
#include <vector>

#include "verilated.h"
#include "verilated_funcs.h"

// Fill `memory` from a file of whole elements of `bytes` bytes, most significant byte first, as $fread
// does. Returns the number of bytes read.
template <typename Element, std::size_t N>
static uint32_t bench_load(VlUnpacked<Element, N>& memory, uint32_t file, uint32_t bytes) {
    std::vector<uint8_t> data(N * bytes);
    const std::size_t size = std::fread(data.data(), 1, data.size(), VL_CVT_I_FP(file));
    for (std::size_t i = 0; i < size / bytes; ++i) {
        uint8_t element[sizeof(Element)] = {};
        const uint8_t* const from = &data[i * bytes];
        for (uint32_t byte = 0; byte < bytes; ++byte) element[byte] = from[bytes - 1 - byte];
        std::memcpy(&memory[i], element, sizeof(Element));
    }
    return static_cast<uint32_t>(size);
}

// Write the first `count` elements, `bytes` bytes of each, the lowest first.
template <typename Element, std::size_t N>
static void bench_save(VlUnpacked<Element, N>& memory, uint32_t file, uint32_t count, uint32_t bytes) {
    FILE* const to = VL_CVT_I_FP(file);
    if (sizeof(Element) == bytes) {
        std::fwrite(&memory[0], bytes, count, to);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) std::fwrite(&memory[i], bytes, 1, to);
}

#endif
