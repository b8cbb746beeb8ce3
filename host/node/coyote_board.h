// SPDX-License-Identifier: BSD-3-Clause
// A vFPGA of a card that runs Coyote, whose library is compiled in with -DCYT_DIR=<checkout> of CMake only.
#pragma once

#include <memory>

#include "board.h"
#include "settings.h"

namespace shellgen {

// Throws InputError if this program has no Coyote or its other version, or the driver is not there.
std::unique_ptr<Board> coyote_board(const Options &options, const NodeSettings &settings);

}  // namespace shellgen
