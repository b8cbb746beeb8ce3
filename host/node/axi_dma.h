// SPDX-License-Identifier: BSD-3-Clause
// AXI DMA in direct register mode, one transfer at a time in each direction, or with one frame over and over.
// Source: PG021 (AXI DMA), chapters Direct Register Mode, Scatter/Gather Mode and Cyclic DMA Mode.
#pragma once

#include "board.h"
#include "settings.h"

namespace shellgen {

namespace dma {
constexpr std::uint64_t kMm2s = 0x00, kS2mm = 0x30;  // where the registers of a channel begin
constexpr std::uint64_t kControl = 0x00, kStatus = 0x04, kAddress = 0x18, kLength = 0x28;
constexpr std::uint32_t kRun = 1 << 0, kReset = 1 << 2, kDoneEnable = 1 << 12, kErrorEnable = 1 << 14;
constexpr std::uint32_t kHalted = 1 << 0, kIdle = 1 << 1, kDone = 1 << 12;
constexpr std::uint32_t kInternal = 1 << 4, kSlave = 1 << 5, kDecode = 1 << 6, kErrors = kInternal | kSlave | kDecode;
// With scatter-gather, in the mode that goes through a ring of descriptors for ever.
constexpr std::uint64_t kDescriptor = 0x08, kTail = 0x10, kDescriptorBytes = 64;
constexpr std::uint32_t kCyclic = 1 << 4, kHasDescriptors = 1 << 3;
constexpr std::uint32_t kFirst = 1 << 27, kLast = 1 << 26;  // of a descriptor: a packet begins and ends
constexpr std::uint32_t kRingErrors = kErrors | 7 << 8;
}  // namespace dma

class AxiDma {
public:
    AxiDma(Registers &registers, const DmaSettings &settings) : registers_(registers), settings_(settings) {}

    const DmaSettings &settings() const { return settings_; }
    // Throws BoardError if it does not reach a buffer.
    void check(const Buffer &buffer) const;
    // Resets both channels, whatever is under way.
    void reset();
    // Lets a channel run after a reset.
    void run(std::uint64_t channel);
    // Begins a transfer; the channel must be idle.
    void start(std::uint64_t channel, const Buffer &buffer, std::uint32_t bytes);
    // Tells whether the transfer is over. Throws BoardError if it failed.
    bool finished(std::uint64_t channel);
    // Bytes that a finished transfer to memory has brought.
    std::uint32_t moved(std::uint64_t channel) { return read(channel + dma::kLength); }

    // Sends a frame over and over until a reset. `ring`: for two descriptors.
    void repeat(Buffers &buffers, const Buffer &frame, const Buffer &ring);
    // Throws BoardError if that has failed.
    void verify();

private:
    void write_address(std::uint64_t at, std::uint64_t address);
    std::uint32_t read(std::uint64_t at) { return registers_.read(settings_.base + at); }
    void write(std::uint64_t at, std::uint32_t value) { registers_.write(settings_.base + at, value); }
    void wait(std::uint64_t at, std::uint32_t mask, const char *what);

    Registers &registers_;
    const DmaSettings &settings_;
};

}  // namespace shellgen
