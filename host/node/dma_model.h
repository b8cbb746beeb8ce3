// SPDX-License-Identifier: BSD-3-Clause
// A model of AXI DMA in direct register mode at the level of its registers, and of the memory behind it. It
// keeps the traps of the real one: Idle is 0 before the first transfer and while a channel is halted, LENGTH is
// ignored then, an error halts the channel until a reset, and caches are not coherent.
// Source: PG021 (AXI DMA), chapters Register Space and Direct Register Mode.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "axi_dma.h"

namespace shellgen {

// Memory that processor and DMA see differently until it is flushed or invalidated.
class ModelMemory : public Buffers {
public:
    explicit ModelMemory(const MemoryRange &range, std::uint64_t align) : range_(range), align_(align) {}

    Buffer take(std::size_t bytes) override;
    void flush(const Buffer &buffer, std::size_t bytes) override;
    void invalidate(const Buffer &buffer, std::size_t bytes) override;
    // What the DMA reads and writes; null where there is no memory for that many bytes.
    std::uint8_t *device(std::uint64_t address, std::size_t bytes);

private:
    struct Piece {
        std::uint64_t address;
        std::vector<std::uint8_t> processor, device;
    };
    MemoryRange range_;
    std::uint64_t align_, used_ = 0;
    std::vector<std::unique_ptr<Piece>> pieces_;
};

struct ChannelModel {
    std::uint32_t control = 0x00010002, status = dma::kHalted, length = 0;
    std::uint64_t address = 0;
    bool active = false;
    std::uint32_t moved = 0;  // bytes of the transfer
    std::uint64_t descriptor = 0;  // of one that repeats: the next
    bool repeats = false;

    void complete() {
        active = false;
        length = moved;
        status |= dma::kIdle | dma::kDone;
    }
    void fail(std::uint32_t error) {
        active = false;
        control &= ~dma::kRun;
        status = (status & ~dma::kIdle) | dma::kHalted | error;
    }
    bool interrupts() const { return (status & dma::kDone && control & dma::kDoneEnable) || status & dma::kErrors; }
};

class DmaModel {
public:
    explicit DmaModel(const DmaSettings &settings) : settings(settings) {}

    // Of one that repeats: begins with the next descriptor.
    void next(ModelMemory &memory);

    const DmaSettings &settings;
    ChannelModel mm2s, s2mm;

    bool has(std::uint64_t address) const { return address - settings.base < settings.size; }
    std::uint32_t read(std::uint64_t address);
    void write(std::uint64_t address, std::uint32_t value);

private:
    bool write_ring(std::uint64_t offset, std::uint32_t value);
    std::uint64_t mask() const { return settings.most_bytes; }
};

}  // namespace shellgen
