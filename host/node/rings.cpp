// SPDX-License-Identifier: BSD-3-Clause
#include "rings.h"

#include <chrono>

namespace shellgen {
namespace {

constexpr std::chrono::seconds kPatience{1};

// Of a bank that a shell manages, it alone knows where it lies.
bool reaches(const RingSettings &ring, std::uint64_t address) {
    if (!ring.bank.empty()) return true;
    for (const auto &range : ring.memory)
        if (address >= range.base && ring.bytes <= range.size && address - range.base <= range.size - ring.bytes) return true;
    return false;
}

}  // namespace

Buffer Board::ring(const RingSettings &ring) { return buffers().take(ring.bytes + ring.align); }

Rings::Rings(const NodeSettings &settings, Board &board) : registers_(board.registers()), settings_(settings) {
    for (const auto &ring : settings.rings) {
        const auto buffer = board.ring(ring);
        const auto address = (buffer.address + ring.align - 1) / ring.align * ring.align;
        if (!reaches(ring, address))
            throw InputError("node " + settings.name + ": the core does not reach the memory for stream " + ring.boundary +
                             "; let the buffers lie elsewhere");
        addresses_.push_back(address);
    }
}

void Rings::arm() {
    disarm();
    std::uint32_t armed = 0;
    for (std::size_t at = 0; at < addresses_.size(); ++at) {
        const auto &ring = settings_.rings[at];
        registers_.write(ring.base_low, static_cast<std::uint32_t>(addresses_[at]));
        registers_.write(ring.base_high, static_cast<std::uint32_t>(addresses_[at] >> 32));
        registers_.write(ring.write_faults, ring.mask);
        registers_.write(ring.read_faults, ring.mask);
        armed |= ring.mask;
    }
    if (armed) registers_.write(settings_.rings.front().arm, armed);
}

void Rings::disarm() {
    std::uint32_t wanted = 0;
    for (const auto &ring : settings_.rings) wanted |= ring.mask;
    if (!wanted) return;
    const auto &first = settings_.rings.front();
    registers_.write(first.arm, 0);
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while ((registers_.read(first.idle) & wanted) != wanted)
        if (std::chrono::steady_clock::now() > end)
            throw BoardError(settings_.name + ": the memory does not answer a ring of the core; load the bitstream again");
}

void Rings::verify() {
    for (const auto &ring : settings_.rings)
        for (auto [what, at] : {std::pair{"write", ring.write_faults}, std::pair{"read", ring.read_faults}})
            if (registers_.read(at) & ring.mask)
                throw BoardError(settings_.name + ": the memory has answered a " + what + " of stream " + ring.boundary +
                                 " with an error");
}

}  // namespace shellgen
