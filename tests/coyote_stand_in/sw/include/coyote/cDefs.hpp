// SPDX-License-Identifier: BSD-3-Clause
// What stands in for Coyote's header of this name: as much as the programs use, under the same names.
#pragma once

#include <cstdint>

namespace coyote {

constexpr unsigned long const STRM_CARD = 0;
constexpr unsigned long const STRM_HOST = 1;
constexpr unsigned long const MAX_TRANSFER_SIZE = 128 * 1024 * 1024;

} // namespace coyote
