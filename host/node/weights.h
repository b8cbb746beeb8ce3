// SPDX-License-Identifier: BSD-3-Clause
// Contents of a node's memories: written, and read back.
#pragma once

#include <string>
#include <vector>

#include "board.h"
#include "settings.h"

namespace shellgen {

// Bytes that a file of weights has: all registers of all memories.
std::uint64_t weight_bytes(const NodeSettings &settings);
// Reads a file. Throws InputError if it has another size.
std::vector<std::uint8_t> read_weights(const std::string &path, const NodeSettings &settings);
// Writes registers ascending, and compares. Throws BoardError at the first bit that does not hold.
void load_weights(Registers &registers, const NodeSettings &settings, const std::vector<std::uint8_t> &content);

}  // namespace shellgen
