// SPDX-License-Identifier: BSD-3-Clause
// What the other files take for granted of a map: nothing that it says reaches beyond a buffer or a window.
#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "settings.h"

namespace shellgen {
namespace {

constexpr std::uint64_t kDmaBytes = 0x60;  // of the registers of both channels

using Found = std::optional<std::string>;

bool fits(std::uint64_t base, std::uint64_t size, std::uint64_t at, std::uint64_t bytes) {
    return at >= base && at - base <= size && bytes <= size - (at - base);
}

bool overflows(std::uint64_t base, std::uint64_t size) { return !size || base + (size - 1) < base; }

Found wrong_streams(const NodeSettings &node) {
    for (std::size_t i = 0; i < node.streams.size(); ++i)
        if (node.streams[i].index != i) return "index: stream " + std::to_string(i) + " has another number";
    return {};
}

Found wrong_registers(const NodeSettings &node) {
    if (overflows(node.base, node.span)) return "span: the window of the registers ends beyond 64 bits";
    const auto streams = std::max<std::uint64_t>(1, node.streams.size());
    for (const auto &[name, one] : node.registers) {
        const bool far = one.stride > node.span / streams;  // so that the product does not overflow
        if (far || !fits(node.base, node.span, one.address, one.stride * (streams - 1) + 4) || one.address % 4)
            return "registers: " + name + " lies outside of the window of the node";
    }
    for (const auto &[name, one] : node.turns) {
        const auto last = std::max<std::size_t>(1, node.places) - 1;
        const bool far = one.stride > node.span / (last + 1);
        if (far || !fits(node.base, node.span, one.address, one.stride * last + 4) || one.address % 4)
            return "registers: " + name + " of block turns lies outside of the window of the node";
    }
    return {};
}

// A device names a stream that it can move, and no other has it.
Found wrong_stream(const NodeSettings &node, const std::string &name, unsigned index, bool enters, std::set<unsigned> &moved) {
    if (index >= node.streams.size() || node.streams[index].enters != enters)
        return "channels: " + name + " serves stream " + std::to_string(index) + ", which does not go that way";
    if (!moved.insert(index).second) return "channels: stream " + std::to_string(index) + " has two DMAs";
    return {};
}

Found wrong_channel(const NodeSettings &node, const DmaSettings &dma, unsigned index, bool enters, std::set<unsigned> &moved) {
    if (auto found = wrong_stream(node, dma.name, index, enters, moved)) return found;
    if (node.streams[index].weights != dma.cyclic)
        return "cyclic: " + dma.name + (dma.cyclic ? " repeats frames, and " : " repeats none, and ") + node.streams[index].boundary +
               (dma.cyclic ? " has no weights" : " has weights");
    if (node.streams[index].frame_bytes > dma.most_bytes)
        return "frame_bytes: a frame of " + node.streams[index].boundary + " is longer than a transfer of " + dma.name;
    return {};
}

Found wrong_dma(const NodeSettings &node, const DmaSettings &dma, std::set<unsigned> &moved) {
    if (overflows(dma.base, dma.size) || dma.size < kDmaBytes) return "size: " + dma.name + " has no room for its registers";
    if (dma.address_bits < 32 || dma.address_bits > 64) return "address_bits: " + dma.name + " has neither 32 nor up to 64";
    if (!dma.align || dma.align & (dma.align - 1) || dma.align > 4096)
        return "align: " + std::to_string(dma.align) + " of " + dma.name + " is no power of two up to 4096";
    if (dma.memory.empty()) return "memory: " + dma.name + " reaches none";
    for (const auto &range : dma.memory)
        if (overflows(range.base, range.size)) return "memory: a range of " + dma.name + " is empty or ends beyond 64 bits";
    if (!dma.mm2s && !dma.s2mm) return "channels: " + dma.name + " has none";
    Found found;
    if (dma.mm2s) found = wrong_channel(node, dma, *dma.mm2s, true, moved);
    if (!found && dma.s2mm) found = wrong_channel(node, dma, *dma.s2mm, false, moved);
    return found;
}

Found wrong_memories(const NodeSettings &node) {
    constexpr std::uint64_t most = std::uint64_t{16} << 20;  // registers of a node, which are held once
    std::uint64_t all = 0;
    for (const auto &one : node.memories) {
        const auto registers = std::uint64_t{one.words} * one.lanes;
        if (!registers || registers > most || (all += registers) > most)
            return "memory: " + one.layer + " has " + std::to_string(registers) + " registers";
        if (!one.row_words || !one.group_rows) return "memory: rows of " + one.layer + " have no words";
        const auto bytes = one.stride * registers, from = node.bridge ? 0 : node.base, span = node.bridge ? std::uint64_t{1} << 32 : node.span;
        if (one.base % 4 || (one.stride != 4 && one.stride != 8) || bytes > one.size || !fits(from, span, one.base, bytes))
            return "memory: " + one.layer + " lies outside of the window of the node";
    }
    return {};
}

Found wrong_blocks(const NodeSettings &node) {
    std::vector<std::uint64_t> all;
    if (node.bridge) all = {node.bridge->address, node.bridge->data, node.bridge->level, node.bridge->error, node.bridge->error_address};
    for (const auto &flag : node.flags) all.push_back(flag.address);
    for (const auto at : all)
        if (at % 4 || !fits(node.base, node.span, at, 4)) return "blocks: a register lies outside of the window of the node";
    return {};
}

Found wrong_rings(const NodeSettings &node) {
    for (const auto &ring : node.rings) {
        for (const auto at : {ring.base_low, ring.base_high, ring.arm, ring.idle, ring.write_faults, ring.read_faults})
            if (at % 4 || !fits(node.base, node.span, at, 4))
                return "rings: a register of " + ring.name + " lies outside of the window of the node";
        if (!ring.align || ring.align & (ring.align - 1) || ring.align > 4096)
            return "align: " + std::to_string(ring.align) + " of " + ring.name + " is no power of two up to 4096";
        if (!ring.bytes || ring.bytes > std::uint64_t{1} << 30) return "bytes: " + ring.name + " has " + std::to_string(ring.bytes);
        if (!ring.mask || ring.arm != node.rings.front().arm || ring.idle != node.rings.front().idle)
            return "rings: " + ring.name + " is not in the registers of the others";
    }
    return {};
}

bool is_address(const std::string &text) {
    std::array<unsigned, 4> parts{};
    int end = 0;
    const auto read = std::sscanf(text.c_str(), "%3u.%3u.%3u.%3u%n", &parts[0], &parts[1], &parts[2], &parts[3], &end);
    return read == 4 && static_cast<std::size_t>(end) == text.size() && std::all_of(parts.begin(), parts.end(), [](unsigned one) { return one < 256; });
}

Found wrong_program(const StreamSettings &stream) {
    const auto &program = *stream.program;
    const auto slots = program.terms.slots;
    const std::string of = " of the program at " + stream.boundary;
    if (!is_address(program.address) || !is_address(program.peer)) return "address: that" + of + " is no IPv4 address";
    if (program.terms.packet_beats < 2 || program.terms.packet_beats > packet::kMostBeats)
        return "packet_beats: " + std::to_string(program.terms.packet_beats) + of + " are not from 2 to 256";
    if (slots < 4 || slots > 256 || slots & (slots - 1)) return "slots: " + std::to_string(slots) + of + " is no power of two from 4 to 256";
    if (stream.host || stream.weights) return "program: " + stream.boundary + " does not lead to a card";
    return {};
}

Found wrong_board(const NodeSettings &node) {
    if (node.dmas.empty()) return "dma: there is none, and shellgen-node moves frames by AXI DMA";
    std::set<unsigned> moved;
    for (const auto &dma : node.dmas)
        if (auto found = wrong_dma(node, dma, moved)) return found;
    for (const auto &stream : node.streams) {
        if (stream.program)
            if (auto found = wrong_program(stream)) return found;
        if (!moved.count(stream.index)) return "dma: stream " + stream.boundary + " has none, and shellgen-node cannot move it";
        if (stream.memory_bytes != stream.frame_bytes) return "memory_bytes: there are gaps between the frames of " + stream.boundary;
    }
    return {};
}

Found wrong_gateway(const NodeSettings &node) {
    for (const auto &stream : node.streams) {
        if (stream.weights) return "program: " + stream.boundary + " carries weights, which no program sends";
        if (stream.program)
            if (auto found = wrong_program(stream)) return found;
    }
    return {};
}

Found wrong_card(const NodeSettings &node) {
    constexpr std::uint32_t beat = 64, most = std::uint32_t{1} << 27;
    if (!node.dmas.empty()) return "dma: a card has none";
    for (const auto &ring : node.rings)
        if (node.bus != Bus::COYOTE || node.version != 2 || ring.bank.empty())
            return "rings: stream " + ring.boundary + " in memory of a card is not served by shellgen-node, but by host/run_<node>";
    for (const auto &stream : node.streams)
        if (stream.weights) return "role: the weights of stream " + stream.boundary + " have no cyclic DMA";
    std::set<unsigned> moved;
    for (const auto &mover : node.movers)
        if (auto found = wrong_stream(node, mover.name, mover.stream, mover.number.has_value(), moved)) return found;
    for (const auto &one : node.channels) {
        const bool enters = one.stream < node.streams.size() && node.streams[one.stream].enters;
        if (auto found = wrong_stream(node, "host stream " + std::to_string(one.dest), one.stream, enters, moved)) return found;
    }
    for (const auto &stream : node.streams) {
        if (stream.joined) continue;
        if (stream.memory_bytes % beat || stream.memory_bytes - stream.frame_bytes >= beat || stream.memory_bytes > most)
            return "memory_bytes: a frame of " + stream.boundary + " has " + std::to_string(stream.memory_bytes);
        if (!moved.count(stream.index))
            return "stream " + stream.boundary + " is in the network of cards in a way that shellgen-node does not serve: use host/run_<node>";
    }
    return {};
}

// Where steps go: the core, or a kernel beside it.
Found wrong_steps(const NodeSettings &node) {
    for (const auto &unit : node.units)
        if (overflows(unit.base, unit.size) || unit.size > std::uint64_t{1} << 32) return "units: the window of " + unit.ip + " has no such size";
    const auto reached = [&](std::uint64_t at) {
        const auto has = [at](const UnitSettings &unit) { return fits(unit.base, unit.size, at, 4); };
        return at % 4 == 0 && (fits(node.base, node.span, at, 4) || std::any_of(node.units.begin(), node.units.end(), has));
    };
    if (node.phases.size() > 3) return "bring_up: it has " + std::to_string(node.phases.size()) + " phases, and shellgen-node knows 3";
    for (const auto &phase : node.phases)
        for (std::size_t k = 0; k < phase.size(); ++k) {
            const auto &step = phase[k];
            if (!reached(step.address) || (step.reason && !reached(step.reason->address)))
                return "address: nothing of the node has that of " + step.place;
            if (step.again > k) return "again: there are not so many steps before " + step.place;
        }
    return {};
}

// Without what shellgen-node cannot serve.
Found wrong_parts(const NodeSettings &node) {
    std::set<unsigned> moved;
    for (const auto &dma : node.dmas)
        if (auto found = wrong_dma(node, dma, moved)) return found;
    for (const auto &mover : node.movers)
        if (auto found = wrong_stream(node, mover.name, mover.stream, mover.number.has_value(), moved)) return found;
    return {};
}

Found wrong(const NodeSettings &node, Use use) {
    if (auto found = wrong_streams(node)) return found;
    if (auto found = wrong_registers(node)) return found;
    if (auto found = wrong_memories(node)) return found;
    if (auto found = wrong_blocks(node)) return found;
    if (auto found = wrong_rings(node)) return found;
    if (auto found = wrong_steps(node)) return found;
    if (use == Use::LIBRARY) return wrong_parts(node);
    if (node.gateway) return wrong_gateway(node);
    return node.bus == Bus::DEVMEM ? wrong_board(node) : wrong_card(node);
}

}  // namespace

void check_map(const std::string &path, const NodeSettings &node, Use use) {
    if (const auto found = wrong(node, use))
        throw InputError(path + ": node " + node.name + ": " + *found + "; generate the folder again");
}

}  // namespace shellgen
