// SPDX-License-Identifier: BSD-3-Clause
// The file that says how fast a rehearsed node is.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "settings.h"

namespace shellgen {

// What lies between some streams of a node: it makes a frame of each output from a frame of each input.
struct PacedPart {
    std::vector<unsigned> in, out;  // streams
    std::chrono::nanoseconds period{0}, through{0};
    std::string vectors;  // file with the golden frames; none: what comes in goes out
};

// Gives the streams of a node their ways, and returns its parts. Throws InputError if the file is wrong.
std::vector<PacedPart> read_pace(const std::string &path, NodeSettings &settings);

}  // namespace shellgen
