// SPDX-License-Identifier: BSD-3-Clause
// Memory of the module u-dma-buf, which is one piece and remains when the program ends.
#pragma once

#include <vector>

#include "board.h"
#include "mapping.h"
#include "settings.h"

namespace shellgen {

constexpr std::uint64_t kCacheLine = 64;  // bytes of the longest one, on Cortex-A53: no two buffers share one

// Throws InputError if a DMA of the node does not reach memory of a device.
void check_reach(const std::string &device, const NodeSettings &settings, std::uint64_t address, std::uint64_t bytes);

class UdmaBuffers : public Buffers {
public:
    UdmaBuffers(const Options &options, const NodeSettings &settings);

    Buffer take(std::size_t bytes) override;
    void taken() override;
    void give_back() override;
    // The mapping has no cache: what is left is the order of accesses.
    void flush(const Buffer &, std::size_t) override;
    void invalidate(const Buffer &, std::size_t) override;

private:
    std::string device_;
    std::uint64_t address_ = 0, bytes_ = 0, used_ = 0;
    Mapping memory_;
    std::vector<std::vector<std::uint8_t>> missing_;  // what stands for buffers without room
};

}  // namespace shellgen
