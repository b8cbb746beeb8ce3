// SPDX-License-Identifier: BSD-3-Clause
// What links need before the first frame, as the map tells: phases of steps, each begun when all nodes have done the one before.
#pragma once

#include <chrono>

#include "board.h"
#include "settings.h"

namespace shellgen {

class BringUp {
public:
    BringUp(Registers &registers, const NodeSettings &settings) : registers_(registers), settings_(settings) {}

    std::size_t phases() const { return settings_.phases.size(); }
    // Begins a phase with its first step.
    void begin(std::size_t phase);
    // Does steps until a register does not yet have its value; tells whether the phase is done. Throws BoardError if that takes too
    // long, with what the register lacks.
    bool go();
    // Whether all registers of a phase have their values. Throws BoardError, with what one lacks, if they must have by now.
    bool reached(std::size_t phase, bool must);

private:
    using Clock = std::chrono::steady_clock;

    bool has(const StepSettings &step, std::uint32_t &found);
    [[noreturn]] void fail(const StepSettings &step, std::uint32_t found);

    Registers &registers_;
    const NodeSettings &settings_;
    const std::vector<StepSettings> *steps_ = nullptr;
    std::size_t next_ = 0;
    Clock::time_point end_{}, repeat_{};  // of the step that waits
    bool waits_ = false;
};

}  // namespace shellgen
