// SPDX-License-Identifier: BSD-3-Clause
#include "turns.h"

#include <algorithm>
#include <cstdio>

namespace shellgen {

Turns::Turns(const HostMap &map, std::set<std::string> absent) : map_(map), absent_(std::move(absent)) {
    for (const auto &name : absent_) {
        const auto has = [&](const TurnSettings &turn) { return std::count(turn.nodes.begin(), turn.nodes.end(), name); };
        if (std::none_of(map.turns.begin(), map.turns.end(), has))
            throw InputError("absent " + name + ": node " + map.node.name + " has no turns of it");
    }
    for (const auto &turn : map.turns)
        if (std::all_of(turn.nodes.begin(), turn.nodes.end(), [this](const std::string &name) { return absent_.count(name); }))
            throw InputError("absent: nobody would be left for a " + turn.kind + " of node " + map.node.name);
}

std::uint32_t Turns::out(const TurnSettings &turn) const {
    std::uint32_t found = 0;
    for (std::size_t bit = 0; bit < turn.nodes.size(); ++bit) found |= static_cast<std::uint32_t>(absent_.count(turn.nodes[bit])) << bit;
    return found;
}

std::pair<unsigned, const TurnSettings *> Turns::find(unsigned stream) const {
    for (const auto &turn : map_.turns) {
        const auto at = std::find(turn.streams.begin(), turn.streams.end(), stream);
        if (at != turn.streams.end() && !turn.pattern.empty()) return {static_cast<unsigned>(at - turn.streams.begin()), &turn};
    }
    return {0, nullptr};
}

bool Turns::away(unsigned stream) const {
    for (const auto &turn : map_.turns)
        for (std::size_t bit = 0; bit < turn.streams.size(); ++bit)
            if (turn.streams[bit] == stream && out(turn) >> bit & 1) return true;
    return false;
}

std::uint64_t Turns::share(unsigned stream, std::uint64_t frames) const {
    if (away(stream)) return 0;
    const auto [bit, turn] = find(stream);
    if (!turn) return frames;
    std::vector<unsigned> order;
    for (const auto one : turn->pattern)
        if (!(out(*turn) >> one & 1)) order.push_back(one);
    if (order.empty()) return 0;
    const auto rest = static_cast<std::ptrdiff_t>(frames % order.size());
    const auto count = [bit = bit](auto begin, auto end) { return static_cast<std::uint64_t>(std::count(begin, end, bit)); };
    return frames / order.size() * count(order.begin(), order.end()) + count(order.begin(), order.begin() + rest);
}

std::uint64_t Turns::place(const char *name, std::size_t number) const {
    const auto &found = map_.node.turns.at(name);
    return found.address + number * found.stride;
}

void Turns::write(Registers &registers) const {
    for (std::size_t k = 0; k < map_.turns.size(); ++k) registers.write(place("OUT", k), out(map_.turns[k]));
}

void Turns::verify(Registers &registers) const {
    for (std::size_t k = 0; k < map_.turns.size(); ++k) {
        const auto wanted = out(map_.turns[k]), found = registers.read(place("OUT_NOW", k));
        if (found == wanted) continue;
        char text[128];
        std::snprintf(text, sizeof text, ": OUT_NOW is %#x after a reset with OUT at %#x; is this the bitstream of the map?", found, wanted);
        throw BoardError(map_.node.name + text);
    }
}

}  // namespace shellgen
