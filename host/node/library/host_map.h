// SPDX-License-Identifier: BSD-3-Clause
// What the library needs of memory_map.json and the server does not: files of weights, turns, and steps with values that only
// the user knows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../settings.h"

namespace shellgen {

// A memory of the core, and what tells its file.
struct RegionSettings {
    std::string name, file, partition, layer;
    unsigned interface = 0;  // its number, which FINN's names have
    std::uint64_t base = 0, size = 0;
    MemorySettings memory;
    std::uint32_t element_bits = 0, pe = 0, simd = 0;
};

// Registers of the bridge that leads to the memories.
struct HostBridge {
    std::uint64_t address = 0, data = 0, level = 0, error = 0, error_address = 0;
};

// A deal to replicas or a gather from them, in the order of the registers OUT.
struct TurnSettings {
    std::string kind;
    std::vector<std::string> nodes;  // for each bit of OUT
    std::vector<unsigned> streams;   // the same
    std::vector<unsigned> pattern;   // the bit of each frame in turn; none if they come by number
};

// What a link needs before the first frame, of any node.
struct HostStep {
    bool barrier = false;
    std::string node, value_name;  // a value of this name must be given
    StepSettings step;
};

struct HostMap {
    NodeSettings node;
    std::vector<RegionSettings> regions;
    std::optional<HostBridge> bridge;
    std::vector<TurnSettings> turns;
    std::vector<std::uint32_t> most_frames;  // of a transfer, by stream
    std::vector<HostStep> steps;
    std::vector<std::string> step_nodes;  // all nodes of the cluster that have steps
};

// Throws InputError.
HostMap read_host_map(const Options &options);

}  // namespace shellgen
