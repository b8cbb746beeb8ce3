// SPDX-License-Identifier: BSD-3-Clause
// The memories of a core: contents from files, written and read back, directly or through the bridge.
#pragma once

#include <functional>

#include "../board.h"
#include "../core.h"
#include "host_map.h"

namespace shellgen {

// Registers of each region that has a file, by the number of the region; others are empty.
using Contents = std::vector<std::vector<std::uint32_t>>;

// Reads the files of a folder. `partial`: not every region needs one. Throws InputError.
Contents read_folder(const HostMap &map, const std::string &folder, bool partial);

class Memories {
public:
    // `tell` gets how many of twice the regions are done: written, and read back.
    using Tell = std::function<void(std::size_t, std::size_t)>;

    Memories(Registers &registers, const HostMap &map, Tell tell) : registers_(registers), map_(map), tell_(std::move(tell)) {}
    // Checks the build, writes unless it is only to be compared, and compares. Throws BoardError.
    void load(Core &core, const Contents &contents, bool compare_only);

private:
    void all(const Contents &contents, bool writes);
    void word(const RegionSettings &region, std::uint32_t word, const std::uint32_t *wanted, bool writes);
    void settle();
    std::uint32_t stride() const { return map_.node.bridge ? 4 : map_.node.slot_bytes; }

    Registers &registers_;
    const HostMap &map_;
    Tell tell_;
};

}  // namespace shellgen
