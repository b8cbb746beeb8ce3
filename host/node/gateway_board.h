// SPDX-License-Identifier: BSD-3-Clause
// The host as an end of streams over the network of cards: it has no core, and a frame goes from the memory in which it has come
// to that which it leaves.
#pragma once

#include <deque>
#include <vector>

#include "board.h"
#include "engine.h"
#include "settings.h"

namespace shellgen {

class GatewayBoard : public Board, private Registers, private Buffers {
public:
    explicit GatewayBoard(const NodeSettings &settings);
    ~GatewayBoard() override;
    GatewayBoard(const GatewayBoard &) = delete;
    GatewayBoard &operator=(const GatewayBoard &) = delete;

    Registers &registers() override { return *this; }
    Buffers &buffers() override { return *this; }
    std::unique_ptr<Engine> engine(const NodeSettings &settings) override;
    int event() override { return event_; }

private:
    std::uint32_t read(std::uint64_t address) override;
    void write(std::uint64_t, std::uint32_t) override {}
    Buffer take(std::size_t bytes) override;
    void flush(const Buffer &, std::size_t) override {}
    void invalidate(const Buffer &, std::size_t) override {}

    const NodeSettings &settings_;
    std::deque<std::vector<std::uint8_t>> memory_;
    int event_;  // nothing ends by itself: a frame moves when the second of its two ports starts
};

}  // namespace shellgen
