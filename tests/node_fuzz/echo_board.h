// SPDX-License-Identifier: BSD-3-Clause
// A board for fuzzing: a core that puts out every frame as it came, at once, behind the DMA model of a rehearsal.
#pragma once

#include <deque>
#include <stdexcept>
#include <vector>

#include "board.h"
#include "dma_model.h"
#include "settings.h"

namespace shellgen {

constexpr std::uint32_t kEchoMagic = 0x5348474e;
constexpr std::uint64_t kEchoBuild = 0x0123456789abcdef, kEchoBase = 0x40000000, kEchoDma = 0x41000000;

inline NodeSettings echo_settings(std::uint32_t frame_bytes) {
    NodeSettings found;
    found.name = "echo";
    found.build_id = kEchoBuild;
    found.base = kEchoBase;
    found.span = 0x1000;
    found.magic = kEchoMagic;
    std::uint64_t at = kEchoBase;
    for (const char *name : {"MAGIC", "BUILD_ID_LOW", "BUILD_ID_HIGH", "CONTROL", "FLAGS", "FRAMES_PER_TRANSFER"}) {
        found.registers[name] = {at, 4};
        at += 0x40;
    }
    for (const bool enters : {true, false}) {
        StreamSettings stream;
        stream.index = enters ? 0 : 1;
        stream.enters = enters;
        stream.host = true;
        stream.boundary = enters ? "in" : "out";
        stream.edge = enters ? 1 : 2;
        stream.frame_bytes = stream.memory_bytes = frame_bytes;
        stream.contract = 7;
        if (!enters) stream.consumers.push_back({true, stream.boundary, stream.edge, {}});
        found.streams.push_back(stream);
    }
    DmaSettings dma;
    dma.name = "dma";
    dma.base = kEchoDma;
    dma.size = 0x1000;
    dma.most_bytes = (1 << 26) - 1;
    dma.mm2s = 0;
    dma.s2mm = 1;
    dma.memory = {{0, 1 << 20}};
    found.dmas.push_back(dma);
    return found;
}

class EchoBoard : public Board, private Registers {
public:
    explicit EchoBoard(const NodeSettings &settings)
        : settings_(settings), memory_(settings.dmas.front().memory.front(), 64), dma_(settings.dmas.front()) {}

    Registers &registers() override { return *this; }
    Buffers &buffers() override { return memory_; }
    std::uint64_t reads = 0;  // of registers

private:
    std::uint32_t read(std::uint64_t address) override {
        ++reads;
        if (dma_.has(address)) return dma_.read(address);
        if (address == settings_.registers.at("MAGIC").address) return kEchoMagic;
        if (address == settings_.registers.at("BUILD_ID_LOW").address) return static_cast<std::uint32_t>(kEchoBuild);
        if (address == settings_.registers.at("BUILD_ID_HIGH").address) return static_cast<std::uint32_t>(kEchoBuild >> 32);
        return 0;
    }

    void write(std::uint64_t address, std::uint32_t value) override {
        if (!dma_.has(address)) return;
        dma_.write(address, value);
        if (value & dma::kReset && address - kEchoDma == dma::kControl) frames_.clear();
        auto &in = dma_.mm2s, &out = dma_.s2mm;
        if (in.active) {
            const auto *from = memory_.device(in.address, in.length);
            if (!from) throw std::logic_error("a DMA reads where no buffer is");
            frames_.emplace_back(from, from + in.length);
            in.moved = in.length;
            in.complete();
        }
        if (out.active && !frames_.empty()) {
            auto *to = memory_.device(out.address, out.length);
            if (!to) throw std::logic_error("a DMA writes where no buffer is");
            std::memcpy(to, frames_.front().data(), frames_.front().size());
            out.moved = static_cast<std::uint32_t>(frames_.front().size());
            out.complete();
            frames_.pop_front();
        }
    }

    const NodeSettings &settings_;
    ModelMemory memory_;
    DmaModel dma_;
    std::deque<std::vector<std::uint8_t>> frames_;
};

}  // namespace shellgen
