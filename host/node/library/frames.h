// SPDX-License-Identifier: BSD-3-Clause
// A run: packed frames through the core, from a reset to a rest.
#pragma once

#include <functional>

#include "../core.h"
#include "../engine.h"
#include "turns.h"

namespace shellgen {

// What a run asks for, and what it tells.
struct FramesJob {
    std::uint64_t frames = 0;
    std::uint32_t batch = 0;   // frames of a transfer; 0: chosen
    double timeout = 10;       // seconds without movement
    std::vector<std::uint8_t *> data;  // by stream
    std::function<bool(std::uint64_t, std::uint64_t)> progress;  // false: stop
    // Out: frames that are made of some that a card has lost.
    struct Marked {
        std::string text;
        std::uint32_t first = 0, last = 0;
    };
    std::optional<Marked> marked;
};

// What a card has once for all runs: transfers that cannot be stopped, and their memory.
struct CardEngine {
    std::unique_ptr<Engine> engine;
    std::map<unsigned, std::vector<Buffer>> buffers;  // by stream
};

// Whether frames of a stream pass the host's memory.
bool is_moved(const NodeSettings &node, const StreamSettings &stream);
// Throws InputError or BoardError; then, too, nothing is under way, unless the message says so. `card` is null for a board with DMAs.
void run_frames(Board &board, const HostMap &map, const Turns &turns, CardEngine *card, FramesJob &job);

}  // namespace shellgen
