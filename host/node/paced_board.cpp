// SPDX-License-Identifier: BSD-3-Clause
#include "paced_board.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "crc32c.h"

namespace shellgen {
namespace {

constexpr std::uint32_t kResetting = 1 << 1 | 1 << 2;  // of CONTROL

}  // namespace

PacedBoard::PacedBoard(const NodeSettings &settings, std::vector<PacedPart> parts)
    : settings_(settings),
      memory_(settings.dmas.front().memory.front(), std::max<std::uint64_t>(64, settings.dmas.front().align)) {
    for (const auto &dma : settings.dmas) dmas_.emplace_back(dma);
    std::size_t streams = 0;
    for (auto &one : parts) {
        streams += one.in.size() + one.out.size();
        parts_.push_back(part_of(std::move(one)));
    }
    if (streams != settings.streams.size()) throw InputError("--pace: a stream of node " + settings.name + " is in no part of it");
    timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (timer_ < 0) throw BoardError("timerfd: the system refuses another one");
}

PacedBoard::~PacedBoard() { close(timer_); }

PacedBoard::Part PacedBoard::part_of(PacedPart settings) {
    Part found;
    const auto port = [this](unsigned stream) {
        for (auto &dma : dmas_) {
            if (dma.settings.mm2s == stream) return Port{&dma.mm2s, settings_.streams.at(stream).frame_bytes, {}};
            if (dma.settings.s2mm == stream) return Port{&dma.s2mm, settings_.streams.at(stream).frame_bytes, {}};
        }
        throw InputError("--pace: stream " + settings_.streams.at(stream).boundary + " has no DMA");
    };
    for (const auto stream : settings.in) found.in.push_back(port(stream));
    for (const auto stream : settings.out) found.out.push_back(port(stream));
    for (const auto &one : found.in) found.in_bytes += one.frame_bytes;
    for (const auto &one : found.out) found.out_bytes += one.frame_bytes;
    const auto period = std::max<std::int64_t>(1, settings.period.count());
    found.most = std::max<std::size_t>(1, static_cast<std::size_t>((settings.through.count() + period - 1) / period));
    found.settings = std::move(settings);
    if (!found.settings.vectors.empty()) index(found);
    return found;
}

void PacedBoard::index(Part &part) {
    const auto &path = part.settings.vectors;
    std::ifstream file(path, std::ios::binary);
    part.vectors.assign(std::istreambuf_iterator<char>(file), {});
    const auto frame = part.in_bytes + part.out_bytes;
    if (!file || part.vectors.empty() || part.vectors.size() % frame)
        throw InputError("--pace: " + path + ": it has not whole frames of " + std::to_string(frame) + " bytes");
    for (std::size_t at = 0; at < part.vectors.size(); at += frame)
        part.found.emplace(crc32c(0, part.vectors.data() + at, part.in_bytes), at);
}

std::uint32_t PacedBoard::read(std::uint64_t address) {
    for (auto &dma : dmas_)
        if (dma.has(address)) {
            if (!wrong_.empty()) throw BoardError(wrong_);
            return dma.read(address);
        }
    const auto at = [&](const char *name) { return address == settings_.registers.at(name).address; };
    if (at("MAGIC")) return settings_.magic;
    if (at("BUILD_ID_LOW")) return static_cast<std::uint32_t>(settings_.build_id);
    if (at("BUILD_ID_HIGH")) return static_cast<std::uint32_t>(settings_.build_id >> 32);
    for (const auto &ring : settings_.rings)
        if (address == ring.idle) return ~std::uint32_t{0};
    return 0;
}

void PacedBoard::write(std::uint64_t address, std::uint32_t value) {
    if (address == settings_.registers.at("CONTROL").address) {
        held_ = value & kResetting;  // takes nothing of what a DMA still offers
        wrong_.clear();
        for (auto &part : parts_) {
            part.inside.clear();
            part.free = {};
        }
    }
    for (auto &dma : dmas_) {
        if (!dma.has(address)) continue;
        const bool in = dma.mm2s.active, out = dma.s2mm.active;
        dma.write(address, value);
        const auto now = Clock::now();
        for (auto &part : parts_)
            for (auto *ports : {&part.in, &part.out})
                for (auto &port : *ports)
                    if ((port.channel == &dma.mm2s && !in) || (port.channel == &dma.s2mm && !out)) port.since = now;
    }
    advance();
}

void PacedBoard::acknowledge() {
    std::uint64_t count;
    [[maybe_unused]] const auto got = ::read(timer_, &count, sizeof count);
    advance();
}

// Does all that is due. Only after a write or the timer: what a reader of registers has not seen, it would not look for.
void PacedBoard::advance() {
    const auto now = Clock::now();
    if (held_) return;
    for (auto &part : parts_)
        while (put_out(part, now) || take_in(part, now)) {
        }
    set_timer(now);
}

bool PacedBoard::put_out(Part &part, Clock::time_point now) {
    const auto armed = [](const Port &port) { return port.channel->active; };
    if (part.inside.empty() || part.inside.front().due > now || !std::all_of(part.out.begin(), part.out.end(), armed)) return false;
    auto &frame = part.inside.front();
    auto gone = frame.due;
    std::size_t at = 0;
    for (auto &port : part.out) {
        auto &channel = *port.channel;
        auto *to = memory_.device(channel.address, channel.length);
        if (!to) {
            channel.fail(dma::kDecode);
        } else if (port.frame_bytes > channel.length) {
            channel.fail(dma::kInternal);
        } else {
            std::memcpy(to, frame.outputs.data() + at, port.frame_bytes);
            channel.moved = port.frame_bytes;
            channel.complete();
        }
        at += port.frame_bytes;
        gone = std::max(gone, port.since);
    }
    if (part.inside.size() == part.most) part.free = std::max(part.free, gone);
    part.inside.pop_front();
    return true;
}

bool PacedBoard::take_in(Part &part, Clock::time_point now) {
    if (part.inside.size() >= part.most) return false;
    auto begin = part.free;
    for (const auto &port : part.in) {
        if (!port.channel->active) return false;
        begin = std::max(begin, port.since);
    }
    if (begin > now) return false;
    Bytes inputs;
    for (auto &port : part.in) {
        auto &channel = *port.channel;
        const auto *from = memory_.device(channel.address, channel.length);
        if (!from || channel.length != port.frame_bytes) {
            channel.fail(dma::kDecode);
            return true;
        }
        inputs.insert(inputs.end(), from, from + channel.length);
        channel.moved = channel.length;
        channel.complete();
    }
    part.inside.push_back({begin + part.settings.through, made_of(part, inputs)});
    part.free = begin + part.settings.period;
    return true;
}

PacedBoard::Bytes PacedBoard::made_of(const Part &part, const Bytes &inputs) {
    Bytes found(part.out_bytes);
    if (part.vectors.empty()) {
        std::copy_n(inputs.begin(), std::min(found.size(), inputs.size()), found.begin());
        return found;
    }
    const auto [first, last] = part.found.equal_range(crc32c(0, inputs.data(), inputs.size()));
    for (auto it = first; it != last; ++it) {
        const auto *at = part.vectors.data() + it->second;
        if (!std::memcmp(at, inputs.data(), inputs.size())) {
            std::copy_n(at + inputs.size(), found.size(), found.begin());
            return found;
        }
    }
    wrong_ = settings_.name + ": what has come is no golden frame, and only those can be rehearsed at a pace";
    return found;
}

// `now`: all that was due then is done.
void PacedBoard::set_timer(Clock::time_point now) {
    auto next = Clock::time_point::max();
    // What is due already waits for a DMA, whose start looks again.
    const auto ahead = [&](Clock::time_point at) {
        if (at > now) next = std::min(next, at);
    };
    for (const auto &part : parts_) {
        if (!part.inside.empty()) ahead(part.inside.front().due);
        if (part.inside.size() < part.most) ahead(part.free);
    }
    itimerspec at{};
    if (next != Clock::time_point::max()) {
        const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(next.time_since_epoch()).count();
        at.it_value.tv_sec = ns / 1'000'000'000;
        at.it_value.tv_nsec = ns % 1'000'000'000;
    }
    timerfd_settime(timer_, TFD_TIMER_ABSTIME, &at, nullptr);
}

}  // namespace shellgen
