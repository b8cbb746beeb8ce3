// SPDX-License-Identifier: BSD-3-Clause
// Files that are loaded together; the last ones are loaded again when the program starts.
#pragma once

#include <optional>

#include "core.h"
#include "store.h"

namespace shellgen {

struct Job {
    std::optional<protocol::Store> bitstream, weights;
};

// Loads them and compares the build id in between; remembers them. Throws StoreError, InputError or BoardError.
void load_job(Store &store, const Job &job, Board &board, Core &core, const NodeSettings &settings);
// Loads what was loaded last, if there is something and it is for this core. Returns what is wrong with it, or nothing.
std::string load_last(Store &store, Board &board, Core &core, const NodeSettings &settings);

}  // namespace shellgen
