// SPDX-License-Identifier: BSD-3-Clause
#include "model_board.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace shellgen {
namespace {

constexpr int kCyclesAtOnce = 256;         // cycles between two looks at the other thread
constexpr int kStill = 200'000;      // cycles without a beat after which the clock slows down
constexpr const char *kNone = "none";  // no core yet

}  // namespace

ModelBoard::ModelBoard(const std::string &library, const NodeSettings &settings)
    : settings_(settings),
      memory_(settings.dmas.front().memory.front(), std::max<std::uint64_t>(64, settings.dmas.front().align)),
      core_(settings.name) {
    event_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (event_ < 0) throw BoardError("eventfd: the system refuses another one");
    if (library != kNone) load(library);
    thread_ = std::thread([this] { clock(); });
}

ModelBoard::~ModelBoard() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        ends_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
    unload();
    if (event_ >= 0) close(event_);
}

void ModelBoard::load(const std::string &library) {
    core_.load(library);
    dmas_.clear();
    senders_.clear();
    repeaters_.clear();
    takers_.clear();
    memories_.clear();
    for (const auto &dma : settings_.dmas) {
        dmas_.emplace_back(dma);
        if (dma.mm2s) (dma.cyclic ? repeaters_ : senders_).push_back({&dmas_.back(), core_.stream_pins(settings_.streams.at(*dma.mm2s).port)});
        if (dma.s2mm) takers_.push_back({&dmas_.back(), core_.stream_pins(settings_.streams.at(*dma.s2mm).port)});
    }
    for (const auto &ring : settings_.rings)
        memories_.emplace_back(ring.name, [this](const std::string &name, unsigned *bits) { return core_.pin(name, bits); }, memory_);
    core_.reset(cycle_);
}

void ModelBoard::unload() {
    memories_.clear();
    senders_.clear();
    repeaters_.clear();
    takers_.clear();
    dmas_.clear();
    core_.unload();
}

bool ModelBoard::programmed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return core_.loaded();
}

void ModelBoard::program(const std::string &path) {
    ++waiting_;
    const std::lock_guard<std::mutex> lock(mutex_);
    --waiting_;
    for (const auto &dma : dmas_)
        if (!(dma.mm2s.status & dma.s2mm.status & dma::kHalted))
            throw BoardError(settings_.name + ": a DMA runs while its bitstream is replaced, and the bus hangs");
    unload();
    try {
        load(path);
    } catch (const InputError &error) {
        unload();
        throw BoardError(settings_.name + ": the bitstream is not taken: " + error.what());
    }
}

void ModelBoard::acknowledge() {
    std::uint64_t count;
    while (::read(event_, &count, sizeof count) > 0) {
    }
}

DmaModel *ModelBoard::dma_at(std::uint64_t address) {
    for (auto &dma : dmas_)
        if (dma.has(address)) return &dma;
    return nullptr;
}

std::uint32_t ModelBoard::read(std::uint64_t address) {
    ++waiting_;
    const std::lock_guard<std::mutex> lock(mutex_);
    --waiting_;
    if (auto *dma = dma_at(address)) return dma->read(address);
    return access(false, address, 0);
}

void ModelBoard::write(std::uint64_t address, std::uint32_t value) {
    ++waiting_;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        --waiting_;
        if (auto *dma = dma_at(address)) {
            dma->write(address, value);
            if (value & dma::kReset && (address - dma->settings.base) % dma::kS2mm == dma::kControl)
                for (auto *channels : {&senders_, &takers_})
                    for (auto &channel : *channels)
                        if (channel.dma == dma) channel.frames = 0;
        } else {
            access(true, address, value);
        }
    }
    wake_.notify_all();
}

std::uint32_t ModelBoard::access(bool writes, std::uint64_t address, std::uint32_t value) {
    if (address - settings_.base >= settings_.span)
        throw BoardError(settings_.name + ": nothing answers at address " + std::to_string(address));
    return core_.access(writes, address - settings_.base, value, cycle_);
}

// Sets the pins of an MM2S channel for the next cycle.
void ModelBoard::drive(Channel &channel) {
    auto &state = channel.dma->mm2s;
    auto &pins = channel.pins;
    if (!state.active) {
        set_pin(pins.valid, 0);
        return;
    }
    const auto *from = memory_.device(state.address, state.length);
    if (!from) {
        state.fail(dma::kDecode);
        set_pin(pins.valid, 0);
        return;
    }
    const auto bytes = std::min<std::uint32_t>(pins.bytes, state.length - state.moved);
    std::memset(pins.data, 0, pins.bytes);
    std::memcpy(pins.data, from + state.moved, bytes);
    for (unsigned i = 0; i < pins.bytes; i += 8) {
        const auto here = bytes > i ? std::min(8u, bytes - i) : 0u;
        pins.keep[i / 8] = static_cast<std::uint8_t>((1u << here) - 1u);
    }
    set_pin(pins.last, state.moved + bytes == state.length);
    set_pin(pins.valid, 1);
}

// Stores the beat that an S2MM channel takes in this cycle.
void ModelBoard::take(Channel &channel) {
    auto &state = channel.dma->s2mm;
    const auto &pins = channel.pins;
    unsigned bytes = 0;
    for (unsigned i = 0; i < pins.bytes; ++i) bytes += pins.keep[i / 8] >> (i % 8) & 1;
    auto *to = memory_.device(state.address, state.length);
    if (!to) return state.fail(dma::kDecode);
    if (state.moved + bytes > state.length) return state.fail(dma::kInternal);
    std::memcpy(to + state.moved, pins.data, bytes);
    state.moved += bytes;
    if (*pins.last & 1) {
        state.complete();
        ++channel.frames;
    }
}

void ModelBoard::cycle() {
    bool signals = false;
    for (auto &channel : senders_) {
        const bool failed = channel.dma->mm2s.status & dma::kErrors;
        drive(channel);
        signals |= !failed && channel.dma->mm2s.status & dma::kErrors;
    }
    for (auto &channel : repeaters_) {
        auto &state = channel.dma->mm2s;
        if (state.repeats && !state.active && !(state.status & dma::kHalted)) channel.dma->next(memory_);
        drive(channel);
    }
    for (auto &channel : takers_) set_pin(channel.pins.ready, channel.dma->s2mm.active);
    for (auto &memory : memories_) memory.drive();
    core_.settle();
    moved_ = false;
    for (auto &memory : memories_) moved_ |= memory.sample();
    for (auto &channel : senders_) {
        auto &state = channel.dma->mm2s;
        if (!(*channel.pins.valid & *channel.pins.ready & 1)) continue;
        moved_ = true;
        state.moved = std::min(state.length, state.moved + channel.pins.bytes);
        if (state.moved == state.length) {
            state.complete();
            ++channel.frames;
            signals |= state.interrupts();
        }
    }
    for (auto &channel : repeaters_) {
        auto &state = channel.dma->mm2s;
        if (!(*channel.pins.valid & *channel.pins.ready & 1)) continue;
        state.moved = std::min(state.length, state.moved + channel.pins.bytes);
        if (state.moved == state.length) state.active = false;  // the next descriptor is the same again
    }
    for (auto &channel : takers_) {
        if (!(*channel.pins.valid & *channel.pins.ready & 1)) continue;
        moved_ = true;
        take(channel);
        signals |= channel.dma->s2mm.interrupts();
    }
    core_.edge();
    if (signals) {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto told = ::write(event_, &one, sizeof one);
    }
}

// Whether the clock has to run: a frame is on its way into the core, or in it. A core with several streams in one
// direction may deal frames to replicas, and then their numbers do not tell: its clock slows down, but does not stop.
bool ModelBoard::busy() const {
    const bool deals = senders_.size() > 1 || takers_.size() > 1;
    std::uint64_t most = 0, least = ~std::uint64_t{0};
    for (const auto &channel : senders_) {
        if (channel.dma->mm2s.active) return true;
        most = std::max(most, channel.frames);
    }
    for (const auto &channel : takers_) least = std::min(least, channel.frames);
    return !takers_.empty() && (deals ? most > 0 : most > least);
}

void ModelBoard::clock() {
    int still = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    while (!ends_) {
        if (!busy()) {
            still = 0;
            wake_.wait(lock, [this] { return ends_ || busy(); });
            continue;
        }
        for (int i = 0; i < kCyclesAtOnce; ++i) {
            cycle();
            still = moved_ ? 0 : still + 1;
        }
        if (waiting_ || still > kStill) {  // a mutex is not fair; and nothing may move for long
            lock.unlock();
            if (still > kStill) {
                still = kStill;
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            while (waiting_) std::this_thread::yield();
            lock.lock();
        }
    }
}

}  // namespace shellgen
