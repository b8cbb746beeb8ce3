// SPDX-License-Identifier: BSD-3-Clause
#include "host_map.h"

#include <algorithm>
#include <fstream>

#include "../json_fields.h"

namespace shellgen {
namespace {

RegionSettings region_of(const std::string &path, const Json &entry) {
    RegionSettings found;
    found.name = entry.at("name").get<std::string>();
    found.file = entry.at("dat").get<std::string>();
    found.partition = entry.at("partition").get<std::string>();
    found.layer = entry.at("layer").is_null() ? found.name : entry.at("layer").get<std::string>();
    found.base = whole<std::uint64_t>(path, entry, "base");
    found.size = whole<std::uint64_t>(path, entry, "size");
    const auto interface = entry.at("interface").get<std::string>();
    const auto digits = interface.substr(interface.rfind('_') + 1);
    if (digits.empty() || digits.size() > 8 || digits.find_first_not_of("0123456789") != std::string::npos)
        throw InputError(path + ": interface: '" + interface + "' of " + found.name + " has no number; generate the folder again");
    found.interface = static_cast<unsigned>(std::stoul(digits));
    const auto &memory = entry.at("memory");
    for (auto [name, value] : {std::pair{"words", &found.memory.words}, std::pair{"lanes", &found.memory.lanes},
                               std::pair{"word_bits", &found.memory.word_bits}, std::pair{"row_words", &found.memory.row_words},
                               std::pair{"row_used", &found.memory.row_used}, std::pair{"group_rows", &found.memory.group_rows},
                               std::pair{"group_used", &found.memory.group_used}, std::pair{"element_bits", &found.element_bits},
                               std::pair{"pe", &found.pe}, std::pair{"simd", &found.simd}})
        *value = whole<std::uint32_t>(path, memory, name);
    return found;
}

void check_region(const std::string &path, const HostMap &map, const RegionSettings &region) {
    constexpr std::uint64_t most = std::uint64_t{16} << 20;
    const auto stride = map.bridge ? 4 : map.node.slot_bytes;
    const auto registers = std::uint64_t{region.memory.words} * region.memory.lanes;
    std::string wrong;
    if (!registers || registers > most) wrong = "memory: " + region.name + " has " + std::to_string(registers) + " registers";
    else if (!region.memory.row_words || !region.memory.group_rows) wrong = "memory: rows of " + region.name + " have no words";
    else if (region.base % stride || stride * registers > region.size) wrong = "memory: " + region.name + " is larger than its window";
    if (!wrong.empty()) throw InputError(path + ": node " + map.node.name + ": " + wrong + "; generate the folder again");
}

std::optional<HostBridge> bridge_of(const std::string &path, const Json &node) {
    for (const auto &block : node.at("blocks")) {
        if (block.at("name") != "bridge") continue;
        HostBridge found;
        const auto base = whole<std::uint64_t>(path, block, "base");
        for (auto [name, value] : {std::pair{"ADDRESS", &found.address}, std::pair{"DATA", &found.data},
                                   std::pair{"LEVEL", &found.level}, std::pair{"ERROR", &found.error},
                                   std::pair{"ERROR_ADDRESS", &found.error_address}}) {
            const Json *one = nullptr;
            for (const auto &each : block.at("registers"))
                if (each.at("name") == name) one = &each;
            if (!one) throw InputError(path + ": the bridge has no register " + name + "; generate the folder again");
            *value = base + whole<std::uint64_t>(path, *one, "offset");
        }
        return found;
    }
    return {};
}

TurnSettings turn_of(const std::string &path, const Json &entry, const NodeSettings &node) {
    TurnSettings found;
    found.kind = entry.at("kind").get<std::string>();
    for (const auto &name : entry.at("nodes")) found.nodes.push_back(name.get<std::string>());
    const auto numbers = [&](const char *field, std::size_t below) {
        std::vector<unsigned> read;
        for (const auto &one : entry.at(field)) {
            if (!one.is_number_unsigned() || one.get<std::uint64_t>() >= below)
                throw InputError(path + ": " + field + ": " + one.dump() + " of a " + found.kind + " of node " + node.name +
                                 " is not below " + std::to_string(below) + "; generate the folder again");
            read.push_back(one.get<unsigned>());
        }
        return read;
    };
    found.streams = numbers("streams", node.streams.size());
    found.pattern = numbers("pattern", found.nodes.size());
    if (found.nodes.size() > 32 || found.streams.size() != found.nodes.size())
        throw InputError(path + ": turns: a " + found.kind + " of node " + node.name + " has " + std::to_string(found.nodes.size()) +
                         " nodes and " + std::to_string(found.streams.size()) + " streams; generate the folder again");
    return found;
}

HostStep host_step_of(const std::string &path, const Json &entry) {
    HostStep found;
    found.barrier = entry.at("op") == "barrier";
    if (found.barrier) return found;
    auto &step = found.step;
    found.node = entry.at("node").get<std::string>();
    step.writes = entry.at("op") == "write";
    step.place = entry.at("place").get<std::string>();
    step.text = entry.at("text").get<std::string>();
    step.address = whole<std::uint64_t>(path, entry, "address");
    if (entry.at("value").is_string()) found.value_name = entry.at("value").get<std::string>();
    else step.value = whole<std::uint32_t>(path, entry, "value");
    step.mask = whole<std::uint32_t>(path, entry, "mask");
    step.again = whole<std::size_t>(path, entry, "again");
    const auto &reason = entry.at("reason");
    if (reason.is_null()) return found;
    step.reason = StepSettings::Reason{reason.at("place").get<std::string>(), whole<std::uint64_t>(path, reason, "address"), {}};
    for (const auto &bit : reason.at("bits"))
        step.reason->bits.emplace_back(whole<std::uint32_t>(path, bit, "mask"), bit.at("text").get<std::string>());
    return found;
}

void read_steps(const std::string &path, const Json &bring_up, HostMap &map) {
    for (const auto &name : bring_up.at("nodes")) map.step_nodes.push_back(name.get<std::string>());
    for (const auto &entry : bring_up.at("steps")) {
        map.steps.push_back(host_step_of(path, entry));
        const auto at = map.steps.size() - 1;
        const auto again = map.steps.back().step.again;
        bool inside = again <= at;
        for (auto k = at - (inside ? again : 0); k < at; ++k) inside &= !map.steps[k].barrier && map.steps[k].node == map.steps[at].node;
        if (!inside)
            throw InputError(path + ": again: there are not so many steps before " + map.steps[at].step.place + "; generate the folder again");
    }
}

void read_node(const std::string &path, const Json &entry, HostMap &map) {
    map.bridge = bridge_of(path, entry);
    for (const auto &region : entry.at("regions")) {
        if (region.at("memory").is_null()) continue;
        map.regions.push_back(region_of(path, region));
        check_region(path, map, map.regions.back());
    }
    for (const auto &one : entry.at("turns")) map.turns.push_back(turn_of(path, one, map.node));
    if (!map.turns.empty() && !map.node.turns.count("OUT_NOW"))
        throw InputError(path + ": node " + map.node.name + " has no register OUT_NOW; generate the folder again");
    for (const auto &one : entry.at("streams")) map.most_frames.push_back(whole<std::uint32_t>(path, one, "most_frames"));
}

}  // namespace

HostMap read_host_map(const Options &options) {
    HostMap found;
    found.node = read_map(options.map, options.node, Use::LIBRARY);
    find_weights(options, found.node);
    std::ifstream file(options.map, std::ios::binary);
    try {
        const auto map = Json::parse(file);
        for (const auto &entry : map.at("nodes"))
            if (entry.at("name") == options.node) read_node(options.map, entry, found);
        if (map.contains("bring_up") && !map.at("bring_up").is_null()) read_steps(options.map, map.at("bring_up"), found);
    } catch (const Json::exception &error) {
        throw InputError(options.map + ": it is no memory map: " + error.what());
    }
    return found;
}

}  // namespace shellgen
