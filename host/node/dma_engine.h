// SPDX-License-Identifier: BSD-3-Clause
// The AXI DMAs of a board.
#pragma once

#include <map>
#include <vector>

#include "axi_dma.h"
#include "engine.h"

namespace shellgen {

class DmaEngine : public Engine {
public:
    // With so many frames in a transfer.
    DmaEngine(Board &board, const NodeSettings &settings, std::uint32_t frames = 1);

    Port *port(unsigned stream) override;
    Buffers &buffers(unsigned) override { return board_.buffers(); }
    void begin(Core &core, const std::function<void()> &held) override;
    void verify() override;
    void detach(Core &core, const std::function<void()> &held) override;
    // The DMA of a stream that has frames; null if there is none.
    AxiDma *dma(unsigned stream);
    // Throws BoardError if a DMA does not reach the weights that it repeats.
    void check() const;

private:
    class Channel : public Port {
    public:
        Channel(AxiDma &dma, std::uint64_t channel, std::uint32_t bytes) : dma_(dma), channel_(channel), bytes_(bytes) {}
        void start(const Buffer &buffer) override { dma_.start(channel_, buffer, bytes_); }
        bool finished() override { return dma_.finished(channel_); }
        std::uint32_t moved() override { return dma_.moved(channel_); }
        void run() { dma_.run(channel_); }
        AxiDma &dma() { return dma_; }

    private:
        AxiDma &dma_;
        std::uint64_t channel_;
        std::uint32_t bytes_;
    };

    // A stream of external weights.
    struct Repeated {
        AxiDma &dma;
        Buffer frame, ring;
    };

    Board &board_;
    std::vector<std::unique_ptr<AxiDma>> dmas_;
    std::map<unsigned, Channel> channels_;  // by stream
    std::vector<Repeated> repeated_;
};

}  // namespace shellgen
