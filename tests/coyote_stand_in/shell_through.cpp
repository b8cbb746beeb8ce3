// SPDX-License-Identifier: BSD-3-Clause
// A card in this process whose core passes frames on as they are, without a simulator: what comes by a host stream leaves
// by the host stream of that number. It has the registers of shell_status that a run needs.
#include "shell.hpp"

#include "memory_map.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

namespace {

constexpr size_t ROOM = 1 << 16; // bytes inside, from which on no transfer is taken

struct Coming {
    unsigned pid;
    std::vector<uint8_t> data;
};

struct Waiting {
    unsigned pid;
    uint8_t *to;
    size_t bytes;
};

const shellgen_node &node = *shellgen_nodes[0];

// Number of the stream of a host stream.
uint32_t stream_of(unsigned dest, bool tx)
{
    for (uint32_t at = 0; at < node.channels; at++)
        if (node.channel[at].dest == dest && (node.stream[node.channel[at].stream].tx != 0) == tx)
            return node.channel[at].stream;
    return 0;
}

// The stream whose register it is, if it is one of these.
bool is(const shellgen_register &one, uint64_t address, uint32_t &stream)
{
    const uint64_t behind = address - one.at;
    stream = one.stride ? static_cast<uint32_t>(behind / one.stride) : 0;
    return address >= one.at && stream < one.count && behind == uint64_t{stream} * one.stride;
}

} // namespace

struct Shell::State {
    std::map<unsigned, std::vector<uint8_t>> inside;
    std::map<unsigned, std::deque<Coming>> coming;
    std::map<unsigned, std::deque<Waiting>> waiting;
    std::map<unsigned, uint32_t> reads, writes; // by thread
    std::map<uint32_t, uint32_t> frames, batch; // by stream

    void all_go_on()
    {
        for (unsigned dest = 0; dest < 16; dest++)
            go_on(dest);
    }

    void go_on(unsigned dest)
    {
        auto &queue = waiting[dest];
        auto &data = inside[dest];
        auto &from = coming[dest];
        while (!from.empty() && data.size() < ROOM) {
            const uint32_t stream = stream_of(dest, false);
            data.insert(data.end(), from.front().data.begin(), from.front().data.end());
            frames[stream] += static_cast<uint32_t>(from.front().data.size() / node.stream[stream].memory_bytes);
            reads[from.front().pid]++;
            from.pop_front();
        }
        while (!queue.empty() && data.size() >= queue.front().bytes) {
            const Waiting &first = queue.front();
            const uint32_t stream = stream_of(dest, true);
            std::memcpy(first.to, data.data(), first.bytes);
            data.erase(data.begin(), data.begin() + static_cast<ptrdiff_t>(first.bytes));
            frames[stream] += static_cast<uint32_t>(first.bytes / node.stream[stream].memory_bytes);
            writes[first.pid]++;
            queue.pop_front();
        }
    }
};

Shell::Shell() : state(std::make_unique<State>()) {}

Shell::~Shell() = default;

Shell &Shell::get()
{
    static Shell shell;
    return shell;
}

void Shell::csr_write(unsigned, unsigned index, uint64_t value)
{
    uint32_t stream = 0;
    if (is(node.status.frames_per_transfer, 8u * index, stream))
        state->batch[stream] = static_cast<uint32_t>(value);
    if (8u * index != node.status.control.at)
        return;
    if (value & (SHELLGEN_SHELL_STATUS_CONTROL_CLEAR_MASK | SHELLGEN_SHELL_STATUS_CONTROL_RESET_MASK))
        state->frames.clear();
    if (value & SHELLGEN_SHELL_STATUS_CONTROL_RESET_MASK)
        for (auto &each : state->inside) {
            each.second.clear();
            for (; !state->coming[each.first].empty(); state->coming[each.first].pop_front())
                state->reads[state->coming[each.first].front().pid]++; // taken, and dropped
        }
}

uint64_t Shell::csr_read(unsigned, unsigned index)
{
    uint32_t stream = 0;
    if (8u * index == node.status.magic.at)
        return SHELLGEN_SHELL_STATUS_MAGIC_VALUE;
    if (8u * index == node.status.build_id_low.at)
        return static_cast<uint32_t>(node.build_id);
    if (8u * index == node.status.build_id_high.at)
        return node.build_id >> 32;
    if (is(node.status.frames_per_transfer, 8u * index, stream))
        return state->batch[stream];
    return is(node.status.frames, 8u * index, stream) ? state->frames[stream] : 0;
}

void Shell::start_read(unsigned, unsigned dest, unsigned pid, const void *data, size_t bytes, bool)
{
    const auto *from = static_cast<const uint8_t *>(data);
    const uint32_t stream = stream_of(dest, false);
    std::vector<uint8_t> found(from, from + bytes);
    found.resize(std::max(bytes, size_t{state->batch[stream]} * node.stream[stream].memory_bytes)); // zeros where it is short
    state->coming[dest].push_back({pid, std::move(found)});
    state->go_on(dest);
}

void Shell::start_write(unsigned, unsigned dest, unsigned pid, void *data, size_t bytes)
{
    state->waiting[dest].push_back({pid, static_cast<uint8_t *>(data), bytes});
}

void Shell::map(unsigned, unsigned, const void *, size_t)
{
}

uint32_t Shell::done_reads(unsigned, unsigned pid)
{
    state->all_go_on();
    return state->reads[pid];
}

uint32_t Shell::done_writes(unsigned, unsigned pid)
{
    state->all_go_on();
    return state->writes[pid];
}

void Shell::clear(unsigned, unsigned pid)
{
    state->reads[pid] = state->writes[pid] = 0;
}
