// SPDX-License-Identifier: BSD-3-Clause
#include "core.h"

#include <chrono>
#include <cstdio>
#include <iostream>

namespace shellgen {
namespace {

constexpr std::uint32_t kReset = 1 << 1, kHold = 1 << 2;  // of CONTROL
constexpr std::chrono::seconds kPatience{1};

}  // namespace

std::uint64_t Core::address(const char *name, unsigned index) const {
    const auto &found = settings_.registers.at(name);
    return found.address + index * found.stride;
}

std::uint64_t Core::build() {
    char text[160];
    const auto magic = registers_.read(address("MAGIC"));
    if (magic != settings_.magic) {
        std::snprintf(text, sizeof text, "no shellgen core at %#llx: read %#010x; load the bitstream first",
                      static_cast<unsigned long long>(address("MAGIC")), magic);
        throw BoardError(settings_.name + ": " + text);
    }
    const auto high = static_cast<std::uint64_t>(registers_.read(address("BUILD_ID_HIGH")));
    return high << 32 | registers_.read(address("BUILD_ID_LOW"));
}

void Core::check() {
    char text[160];
    const auto found = build();
    if (found != settings_.build_id) {
        std::snprintf(text, sizeof text, "the core is build %016llx, the map is for %016llx; use the map of this bitstream",
                      static_cast<unsigned long long>(found), static_cast<unsigned long long>(settings_.build_id));
        throw BoardError(settings_.name + ": " + text);
    }
}

void Core::hold() { registers_.write(address("CONTROL"), kHold); }

void Core::turns(const protocol::Epoch &order) {
    const auto place = [this](const char *name, std::size_t index) {
        const auto &found = settings_.turns.at(name);
        return found.address + index * found.stride;
    };
    for (std::size_t k = 0; k < order.out.size() / 2; ++k) {
        const std::uint32_t out = order.out[2 * k] | order.out[2 * k + 1] << 8;
        if (k < settings_.places) registers_.write(place("OUT", k), out);
        else if (out) throw BoardError(settings_.name + ": out: the core has no deal or gather " + std::to_string(k));
    }
    if (settings_.turns.count("NODE")) registers_.write(place("NODE", 0), order.number);
}

void Core::set_transfers() {
    for (const auto &stream : settings_.streams)
        registers_.write(address("FRAMES_PER_TRANSFER", stream.index), stream.weights ? 1 : transfer_frames_);
}

void Core::ask_reset() {
    set_transfers();
    registers_.write(address("CONTROL"), kReset);
}

bool Core::resets() { return registers_.read(address("CONTROL")) & kReset; }

void Core::release() {
    set_transfers();  // before the reset ends: a layer that pads begins a frame before any has come
    registers_.write(address("CONTROL"), 0);
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (registers_.read(address("CONTROL")) & (kReset | kHold))
        if (std::chrono::steady_clock::now() > end)
            throw BoardError(settings_.name + ": the reset does not end; load the bitstream again");
}

std::uint32_t Core::frames(unsigned stream) { return registers_.read(address("FRAMES", stream)); }

void Core::clear_flags() {
    noted_.clear();
    for (const auto &flag : settings_.flags)
        if (flag.clears) registers_.write(flag.address, flag.mask);
}

void Core::verify() {
    for (const auto &flag : settings_.flags) {
        const auto found = registers_.read(flag.address);
        if (!(found & flag.mask)) continue;
        char text[32];
        std::snprintf(text, sizeof text, " is set (%#010x): ", found);
        const auto told = settings_.name + ": " + flag.place + text + flag.text;
        if (!flag.slow) throw BoardError(told);
        if (noted_.insert(flag.place).second) std::cerr << "shellgen-node: " << told << std::endl;
    }

    for (const auto &stream : settings_.streams) {
        const auto flags = registers_.read(address("FLAGS", stream.index));
        if (flags) throw BoardError(settings_.name + ": framing error at " + stream.boundary + ", FLAGS is " + std::to_string(flags));
    }
}

}  // namespace shellgen
