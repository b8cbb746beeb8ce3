// SPDX-License-Identifier: BSD-3-Clause
// What links need before the first frame, of some nodes that this program reaches, one step after another.
#pragma once

#include <functional>
#include <map>

#include "../board.h"
#include "../core.h"
#include "host_map.h"

namespace shellgen {

struct StepsJob {
    struct Reached {
        Registers *registers;
        Core *core;
    };
    std::map<std::string, Reached> nodes;         // those of this program, by name
    std::map<std::string, std::uint32_t> given;   // values that only the user knows
    unsigned phase = 0;                           // from 1; 0 for all
    double timeout = 10;                          // seconds, for a register
    std::function<void()> barrier;                // returns when all nodes of the cluster have come so far; may be empty
};

// Checks all that can be known before the first access, does the steps, and returns their number. Throws InputError or BoardError.
std::uint32_t do_steps(const HostMap &map, const StepsJob &job);

}  // namespace shellgen
