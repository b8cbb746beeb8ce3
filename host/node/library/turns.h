// SPDX-License-Identifier: BSD-3-Clause
// Deals to replicas and gathers from them: who has turns in a run, and how many frames each stream has.
#pragma once

#include <set>
#include <string>

#include "../board.h"
#include "host_map.h"

namespace shellgen {

class Turns {
public:
    // Throws InputError if the node has no turns of one that is absent, or nobody would be left.
    Turns(const HostMap &map, std::set<std::string> absent);

    // Whether a stream has a share of the frames only.
    bool shared(unsigned stream) const { return find(stream).second; }
    // Whether a stream is that of a replica without a turn.
    bool away(unsigned stream) const;
    // How many of the node's frames a stream has.
    std::uint64_t share(unsigned stream, std::uint64_t frames) const;
    // Writes OUT of each, which the core takes over in its reset.
    void write(Registers &registers) const;
    // Throws BoardError if it has not.
    void verify(Registers &registers) const;

private:
    // The deal or gather of a stream that has a share, and its bit; null if it has all frames.
    std::pair<unsigned, const TurnSettings *> find(unsigned stream) const;
    std::uint32_t out(const TurnSettings &turn) const;
    std::uint64_t place(const char *name, std::size_t number) const;

    const HostMap &map_;
    std::set<std::string> absent_;
};

}  // namespace shellgen
