// SPDX-License-Identifier: BSD-3-Clause
// Instead of xrt_board.cpp, where XRT is not installed.
#include "xrt_board.h"

namespace shellgen {

std::unique_ptr<Board> xrt_board(const Options &, const NodeSettings &settings) {
    throw InputError("--device: node " + settings.name +
                     " is a card behind XRT, and this program was compiled without; source XRT's setup.sh and compile it with "
                     "cmake -DSHELLGEN_XRT=ON");
}

}  // namespace shellgen
