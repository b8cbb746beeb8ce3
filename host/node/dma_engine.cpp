// SPDX-License-Identifier: BSD-3-Clause
#include "dma_engine.h"

#include "core.h"

namespace shellgen {

DmaEngine::DmaEngine(Board &board, const NodeSettings &settings) : board_(board) {
    const auto add = [&](const std::optional<unsigned> &stream, std::uint64_t channel) {
        if (stream) channels_.try_emplace(*stream, *dmas_.back(), channel, settings.streams.at(*stream).frame_bytes);
    };
    for (const auto &dma : settings.dmas) {
        dmas_.push_back(std::make_unique<AxiDma>(board.registers(), dma));
        add(dma.mm2s, dma::kMm2s);
        add(dma.s2mm, dma::kS2mm);
    }
}

Port *DmaEngine::port(unsigned stream) {
    const auto found = channels_.find(stream);
    return found == channels_.end() ? nullptr : &found->second;
}

void DmaEngine::begin(Core &core, const std::function<void()> &held) {
    detach(core, held);
    core.check();
    for (auto &[stream, channel] : channels_) channel.run();
}

void DmaEngine::detach(Core &core, const std::function<void()> &held) {
    // In this order: what a sender of the core offers is withdrawn, and its DMA must not see half of it.
    core.hold();
    for (auto &dma : dmas_) dma->reset();
    held();
    core.release();
}

std::unique_ptr<Engine> Board::engine(const NodeSettings &settings) { return std::make_unique<DmaEngine>(*this, settings); }

}  // namespace shellgen
