// SPDX-License-Identifier: BSD-3-Clause
#include "own_board.h"

#include "../text.h"

namespace shellgen {
OwnBoard::OwnBoard(const NodeSettings &settings, const shellgen_host_registers &registers, const shellgen_host_memory *memory)
    : settings_(settings), own_(registers) {
    if (!own_.read || !own_.write) throw InputError("own_registers: read or write is missing");
    if (!memory) return;
    memory_ = *memory;
    if (!memory_.allocate || !memory_.flush || !memory_.invalidate || !memory_.release)
        throw InputError("own_memory: allocate, flush, invalidate or release is missing");
}

// If the node never came to rest, a DMA may still write to them: they stay as they are.
OwnBoard::~OwnBoard() = default;

std::uint32_t OwnBoard::read(std::uint64_t address) {
    std::uint32_t found = 0;
    if (own_.read(own_.context, address, &found)) throw AccessError(formatted("address %#llx was answered with an error", address));
    return found;
}

void OwnBoard::write(std::uint64_t address, std::uint32_t value) {
    if (own_.write(own_.context, address, value)) throw AccessError(formatted("address %#llx was answered with an error", address));
}

Buffer OwnBoard::take(std::size_t bytes) {
    if (!memory_.allocate) throw InputError("node " + settings_.name + ": own_memory is missing; frames cannot be moved without");
    shellgen_host_buffer found{};
    if (memory_.allocate(memory_.context, bytes, &found) || !found.data || found.bytes < bytes)
        throw BoardError("no buffer of " + std::to_string(bytes) + " bytes is left; give more, or fewer frames in a transfer");
    taken_[found.data] = found;
    return {found.data, found.address, bytes};
}

void OwnBoard::give_back() {
    for (const auto &[data, one] : taken_) memory_.release(memory_.context, &one);
    taken_.clear();
}

void OwnBoard::flush(const Buffer &buffer, std::size_t) { memory_.flush(memory_.context, &taken_.at(buffer.data)); }

void OwnBoard::invalidate(const Buffer &buffer, std::size_t) { memory_.invalidate(memory_.context, &taken_.at(buffer.data)); }

}  // namespace shellgen
