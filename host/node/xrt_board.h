// SPDX-License-Identifier: BSD-3-Clause
// A card behind XRT. Its C++ interface is compiled in with -DSHELLGEN_XRT=ON of CMake only.
#pragma once

#include <memory>

#include "board.h"
#include "settings.h"

namespace shellgen {

// Throws InputError if this program has no XRT, or the card or its bitstream is not there.
std::unique_ptr<Board> xrt_board(const Options &options, const NodeSettings &settings);

}  // namespace shellgen
