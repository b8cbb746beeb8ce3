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

// Write the first `count` elements as little-endian 32-bit words, as $fwrite does with %u.
template <typename Element, std::size_t N>
static void bench_save(VlUnpacked<Element, N>& memory, uint32_t file, uint32_t count) {
    FILE* const to = VL_CVT_I_FP(file);
    if (sizeof(Element) >= 4) {
        std::fwrite(&memory[0], sizeof(Element), count, to);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t word = 0;
        std::memcpy(&word, &memory[i], sizeof(Element));
        std::fwrite(&word, sizeof word, 1, to);
    }
}

#endif
