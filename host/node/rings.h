// SPDX-License-Identifier: BSD-3-Clause
// Streams inside the core that are kept in memory: the node gives each its memory while the core is in reset.
#pragma once

#include <vector>

#include "board.h"
#include "settings.h"

namespace shellgen {

class Rings {
public:
    // Takes a buffer for each. Throws InputError or BoardError if there is none that the core reaches.
    Rings(const NodeSettings &settings, Board &board);

    // Lets all use their memory; partitions and links are held in reset. Throws BoardError if one does not come to rest.
    void arm();
    // Lets none begin another burst, and waits until none is under way.
    void disarm();
    // Throws BoardError if the memory has answered an access with an error.
    void verify();

private:
    Registers &registers_;
    const NodeSettings &settings_;
    std::vector<std::uint64_t> addresses_;
};

}  // namespace shellgen
