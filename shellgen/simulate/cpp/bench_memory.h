// SPDX-License-Identifier: BSD-3-Clause
//
// How sources and sinks of sim/ move whole files under Verilator. $fread and $fwrite do the same byte
// by byte, which takes longer than the simulation itself when streams are wide; Icarus uses those.
#ifndef SHELLGEN_BENCH_MEMORY_H
#define SHELLGEN_BENCH_MEMORY_H

#include <cstdint>
#include <cstring>
#include <memory>

#include "verilated.h"
#include "verilated_funcs.h"

// Fill `memory` from a file of whole elements of `bytes` bytes, the lowest first. Returns the number of bytes read.
template <typename Element, std::size_t N>
static uint32_t bench_load(VlUnpacked<Element, N>& memory, uint32_t file, uint32_t bytes) {
    FILE* const from = VL_CVT_I_FP(file);
    if (sizeof(Element) == bytes) return static_cast<uint32_t>(std::fread(&memory[0], 1, N * bytes, from));
    const std::unique_ptr<uint8_t[]> data{new uint8_t[N * bytes]};
    const std::size_t size = std::fread(data.get(), 1, N * bytes, from);
    for (std::size_t i = 0; i < size / bytes; ++i) {
        memory[i] = Element{};
        std::memcpy(&memory[i], &data[i * bytes], bytes);
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
    const std::unique_ptr<uint8_t[]> data{new uint8_t[std::size_t{count} * bytes]};
    for (uint32_t i = 0; i < count; ++i) std::memcpy(&data[std::size_t{i} * bytes], &memory[i], bytes);
    std::fwrite(data.get(), bytes, count, to);
}

#endif
