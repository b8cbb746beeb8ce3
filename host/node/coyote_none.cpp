// SPDX-License-Identifier: BSD-3-Clause
// Instead of coyote_board.cpp, where there is no Coyote.
#include "coyote_board.h"

namespace shellgen {

std::unique_ptr<Board> coyote_board(const Options &, const NodeSettings &settings) {
    throw InputError("--device: node " + settings.name +
                     " is in a card that runs Coyote, and this program was compiled without; compile it with cmake "
                     "-DCYT_DIR=<checkout of Coyote v" + std::to_string(settings.version) + ">");
}

}  // namespace shellgen
