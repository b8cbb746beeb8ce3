// SPDX-License-Identifier: BSD-3-Clause
#include "dma_engine.h"

#include <fstream>

#include "core.h"

namespace shellgen {

namespace {

void read_file(const StreamSettings &stream, const Buffer &buffer) {
    std::ifstream file(stream.file, std::ios::binary);
    if (!file) throw InputError(stream.file + ": it cannot be opened; it belongs to the folder of the map, or to that of --weights");
    const bool whole = file.read(reinterpret_cast<char *>(buffer.data), static_cast<std::streamsize>(stream.frame_bytes)) &&
                       file.peek() == std::ifstream::traits_type::eof();
    if (!whole)
        throw InputError(stream.file + ": it has not the " + std::to_string(stream.frame_bytes) + " bytes of stream " + stream.boundary +
                         "; generate the folder again");
}

}  // namespace

DmaEngine::DmaEngine(Board &board, const NodeSettings &settings, std::uint32_t frames) : board_(board) {
    const auto add = [&](const std::optional<unsigned> &stream, std::uint64_t channel) {
        if (stream) channels_.try_emplace(*stream, *dmas_.back(), channel, frames * settings.streams.at(*stream).memory_bytes);
    };
    for (const auto &dma : settings.dmas) {
        dmas_.push_back(std::make_unique<AxiDma>(board.registers(), dma));
        if (dma.cyclic) {
            const auto &stream = settings.streams.at(*dma.mm2s);
            repeated_.push_back({*dmas_.back(), board.buffers().take(stream.frame_bytes), board.buffers().take(2 * dma::kDescriptorBytes)});
            read_file(stream, repeated_.back().frame);
            continue;
        }
        add(dma.mm2s, dma::kMm2s);
        add(dma.s2mm, dma::kS2mm);
    }
}

Port *DmaEngine::port(unsigned stream) {
    const auto found = channels_.find(stream);
    return found == channels_.end() ? nullptr : &found->second;
}

AxiDma *DmaEngine::dma(unsigned stream) {
    const auto found = channels_.find(stream);
    return found == channels_.end() ? nullptr : &found->second.dma();
}

void DmaEngine::check() const {
    for (const auto &one : repeated_)
        for (const auto *buffer : {&one.frame, &one.ring}) one.dma.check(*buffer);
}

void DmaEngine::begin(Core &core, const std::function<void()> &held) {
    detach(core, held);
    core.check();
    for (auto &[stream, channel] : channels_) channel.run();
    for (auto &one : repeated_) one.dma.repeat(board_.buffers(), one.frame, one.ring);
}

void DmaEngine::verify() {
    for (auto &one : repeated_) one.dma.verify();
}

void DmaEngine::detach(Core &core, const std::function<void()> &held) {
    // In this order: what a sender of the core offers is withdrawn, and its DMA must not see half of it.
    core.hold();
    for (auto &dma : dmas_) dma->reset();
    held();
    core.release();
}

void Engine::hold(Core &, const std::function<void()> &) { throw BoardError("the core cannot be held"); }

void Engine::release(Core &) { throw BoardError("the core was not held"); }

std::unique_ptr<Engine> Board::engine(const NodeSettings &settings) { return std::make_unique<DmaEngine>(*this, settings); }

}  // namespace shellgen
