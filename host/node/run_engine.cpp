// SPDX-License-Identifier: BSD-3-Clause
#include "run_engine.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "core.h"

namespace shellgen {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLooks = 50;  // at ports that may bring a frame, until they count as waiting
constexpr std::chrono::milliseconds kQuiet{10};
constexpr std::chrono::microseconds kPause{200};
constexpr std::chrono::seconds kPatience{1};  // for what the core brings to its end
constexpr std::uint8_t kMark = 0xa5;
constexpr int kStale = 3;  // frames of zeros: two transfers may be left, and one is ours
constexpr std::chrono::seconds kZeros{1}, kLastZeros{5};  // for their results
constexpr std::chrono::milliseconds kGiven{50};  // for a transfer to the core of which the rest is discarded

}  // namespace

void RunPort::start(const Buffer &buffer) {
    if (busy_) {
        wanted_ = &buffer;  // it waits for the first frame of the epoch already
        return;
    }
    begin(buffer);
    into_ = buffer;
    busy_ = true;
}

bool RunPort::finished() {
    if (!over()) return false;
    busy_ = false;
    if (wanted_ && wanted_->data != into_.data) {
        invalidate(into_, memory_bytes_);
        std::memcpy(wanted_->data, into_.data, frame_bytes_);
        flush(*wanted_, memory_bytes_);
    }
    wanted_ = nullptr;
    return true;
}

void RunPort::arm() {
    wanted_ = nullptr;
    if (!busy_) start(scratch_);
}

void RunPort::zeros() {
    std::memset(scratch_.data, 0, memory_bytes_);
    flush(scratch_, memory_bytes_);
    start(scratch_);
}

void RunPort::mark() {
    std::memset(scratch_.data, kMark, memory_bytes_);
    flush(scratch_, memory_bytes_);
}

bool RunPort::marked() {
    invalidate(scratch_, memory_bytes_);
    return std::all_of(scratch_.data, scratch_.data + memory_bytes_, [](std::uint8_t byte) { return byte == kMark; });
}

void RunPort::forget() {
    busy_ = false;
    wanted_ = nullptr;
}

RunEngine::RunEngine(std::string name, RunPorts &ports, std::string remedy, bool stale)
    : name_(std::move(name)), ports_(ports), remedy_("; " + std::move(remedy)), stale_(stale) {
    for (auto &[stream, port] : ports_) port->prepare();
}

RunPort *RunEngine::find(unsigned stream) {
    const auto found = ports_.find(stream);
    return found == ports_.end() ? nullptr : found->second.get();
}

// Waits until nothing has come for a while; `look` tells whether a port has moved.
void RunEngine::settle(const std::function<bool(Clock::duration)> &pending, const std::function<bool(RunPort &)> &look) {
    const auto began = Clock::now();
    auto last = began;
    for (int looks = 0; looks < kLooks || Clock::now() - last < kQuiet; ++looks) {
        bool moved = pending(Clock::now() - began);
        for (auto &[stream, port] : ports_) moved |= look(*port);
        if (moved) {
            looks = 0;
            last = Clock::now();
        }
        if (last - began > 3 * kPatience) throw BoardError(name_ + ": it does not come to rest" + remedy_);
        std::this_thread::sleep_for(kPause);
    }
}

// Waits for the end of a reset, too. What the core has begun to put out, it fills with zeros; where it waits for beats that never
// come, the reset is forced.
void RunEngine::reset(Core &core, const std::function<bool(RunPort &)> &look) {
    core.ask_reset();
    const auto pending = [&core](Clock::duration since) {
        const bool found = core.resets();
        if (found && since > kPatience) {
            core.hold();
            core.release();
        }
        return found;
    };
    settle(pending, look);
}

bool RunEngine::rest(Clock::duration patience, bool all) {
    const auto end = Clock::now() + patience;
    const auto busy = [&] {
        bool found = false;
        for (auto &[stream, port] : ports_) found |= (all || port->gives()) && port->busy();
        return found;
    };
    while (busy()) {
        if (Clock::now() > end) return false;
        std::this_thread::sleep_for(kPause);
    }
    return true;
}

// What a port does while nobody wants frames: those that bring some go on until nothing more comes.
bool RunEngine::fetch(RunPort &port) {
    if (port.gives()) return port.busy();
    if (port.busy()) return false;
    port.arm();
    return true;
}

// The end of another's transfer may be counted as that of ours, whose memory nothing has come to then.
bool RunEngine::arrives(Clock::duration patience) {
    for (const auto end = Clock::now() + patience;;) {
        bool waits = false;
        for (auto &[stream, port] : ports_) {
            if (!port->busy() && !port->gives() && port->marked()) port->recount();
            waits |= port->busy();
        }
        if (!waits) return true;
        if (Clock::now() > end) return false;
        std::this_thread::sleep_for(kPause);
    }
}

// A transfer from the core that a killed server has left would take the first frame, and all results would be one place late.
void RunEngine::flush(Core &core) {
    const auto gives = [](const RunPorts::value_type &one) { return one.second->gives(); };
    const auto count = std::count_if(ports_.begin(), ports_.end(), gives);
    // The frame of a deal leaves by one stream, that of a joined core comes from another node.
    if (core.joined() || core.deals() || !count || count == static_cast<std::ptrdiff_t>(ports_.size())) return;
    for (auto &[stream, port] : ports_)
        if (!port->gives()) port->mark();
    for (int turn = 0; turn < kStale; ++turn) {
        for (auto &[stream, port] : ports_)
            if (port->gives() && !port->busy()) port->zeros();
        if (arrives(turn + 1 < kStale ? kZeros : kLastZeros)) return;
    }
    throw BoardError(name_ + ": no result of a frame of zeros has come" + remedy_);
}

void RunEngine::begin(Core &core, const std::function<void()> &held) {
    clear(core, held);
    if (!stale_) return;
    flush(core);
    stale_ = false;
    clear(core, held);
}

// What comes out of the core goes to a buffer that nobody looks at, until nothing more comes.
void RunEngine::clear(Core &core, const std::function<void()> &held) {
    core.check();
    for (auto &[stream, port] : ports_)
        if (!port->gives()) port->arm();
    reset(core, fetch);
    core.hold();
    held();
    core.release();
}

// In this reset the core fills up a transfer to memory and discards the rest of one from it, however long its neighbours do
// nothing. But it does not take the first beat of one: for that it must be open, and what it makes of it, if anything, is of the
// epoch before, as all is until the neighbours are held as well.
void RunEngine::hold(Core &core, const std::function<void()> &held) {
    core.check();
    for (auto &[stream, port] : ports_)
        if (!port->gives()) port->arm();
    const auto fills = [](RunPort &port) { return !port.gives() && fetch(port); };
    for (const auto end = Clock::now() + 3 * kPatience;;) {
        core.hold();
        settle([](Clock::duration) { return false; }, fills);
        if (rest(kGiven, false)) break;
        if (Clock::now() > end) throw BoardError(name_ + ": it does not come to rest" + remedy_);
        core.release();
        rest(kGiven, false);
    }
    held();
}

void RunEngine::release(Core &core) { core.release(); }

// A port that waits for a frame gets the result of zeros: what comes later would go to memory that is given back. If the frame
// comes from another node, the port waits on.
void RunEngine::detach(Core &core, const std::function<void()> &held) {
    if (core.joined()) return hold(core, held);
    clear(core, held);
    for (auto &[stream, port] : ports_)
        if (port->gives()) port->zeros();
    const bool rests = rest(kPatience, true);
    reset(core, [](RunPort &) { return false; });
    if (!rests) throw BoardError(name_ + ": a transfer still waits for a frame" + remedy_);
}

}  // namespace shellgen
