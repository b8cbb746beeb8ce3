// SPDX-License-Identifier: BSD-3-Clause
// The board of a rehearsal at its own pace: instead of a simulated core, whose time would be that of the simulator, it
// has golden frames, each of which comes out when the core would put it out.
#pragma once

#include <chrono>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "dma_model.h"
#include "pace.h"

namespace shellgen {

class PacedBoard : public Board, private Registers {
public:
    // Throws InputError if vectors and map do not fit.
    PacedBoard(const NodeSettings &settings, std::vector<PacedPart> parts);
    ~PacedBoard() override;

    Registers &registers() override { return *this; }
    Buffers &buffers() override { return memory_; }
    int event() override { return timer_; }
    void acknowledge() override;

private:
    using Clock = std::chrono::steady_clock;
    using Bytes = std::vector<std::uint8_t>;
    struct Frame {
        Clock::time_point due;
        Bytes outputs;
    };
    struct Port {
        ChannelModel *channel = nullptr;
        std::uint32_t frame_bytes = 0;
        Clock::time_point since{};  // when its transfer began
    };
    struct Part {
        PacedPart settings;
        std::vector<Port> in, out;
        Bytes vectors;  // of each frame all inputs, then all outputs
        std::size_t in_bytes = 0, out_bytes = 0;
        std::unordered_multimap<std::uint32_t, std::size_t> found;  // frame by the checksum of its inputs
        std::size_t most = 1;                                       // frames inside
        std::deque<Frame> inside;
        Clock::time_point free{};  // may take a frame
    };

    std::uint32_t read(std::uint64_t address) override;
    void write(std::uint64_t address, std::uint32_t value) override;
    Part part_of(PacedPart settings);
    void index(Part &part);
    void advance();
    bool put_out(Part &part, Clock::time_point now);
    bool take_in(Part &part, Clock::time_point now);
    Bytes made_of(const Part &part, const Bytes &inputs);
    void set_timer(Clock::time_point now);

    std::string wrong_;  // until a reset

    const NodeSettings &settings_;
    ModelMemory memory_;
    std::deque<DmaModel> dmas_;
    std::vector<Part> parts_;
    int timer_ = -1;
    bool held_ = false;  // in reset
};

}  // namespace shellgen
