// SPDX-License-Identifier: BSD-3-Clause
#include "model_board.h"

#include <dlfcn.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace shellgen {
namespace {

constexpr int kCyclesAtOnce = 256;         // cycles between two looks at the other thread
constexpr int kCyclesToAnswer = 100'000;   // cycles of an access to registers
constexpr int kStill = 200'000;      // cycles without a beat after which the clock slows down
constexpr int kResetCycles = 16;
constexpr const char *kNone = "none";  // no core yet

void set(std::uint8_t *pin, std::uint32_t value, unsigned bytes = 1) { std::memcpy(pin, &value, bytes); }

unsigned bytes_of(unsigned bits) { return bits <= 8 ? 1 : bits <= 16 ? 2 : 4; }

}  // namespace

ModelBoard::ModelBoard(const std::string &library, const NodeSettings &settings)
    : settings_(settings),
      memory_(settings.dmas.front().memory.front(), std::max<std::uint64_t>(64, settings.dmas.front().align)) {
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
    library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) throw InputError(library + ": it cannot be loaded: " + dlerror());
    auto make = reinterpret_cast<void *(*)()>(dlsym(library_, "shellgen_core_make"));
    auto pins = reinterpret_cast<const shellgen_pin *(*)(void *)>(dlsym(library_, "shellgen_core_pins"));
    eval_ = reinterpret_cast<void (*)(void *)>(dlsym(library_, "shellgen_core_eval"));
    end_ = reinterpret_cast<void (*)(void *)>(dlsym(library_, "shellgen_core_end"));
    if (!make || !pins || !eval_ || !end_) throw InputError(library + ": it is no core of shellgen rehearse");
    core_ = make();
    pins_ = pins(core_);
    aclk_ = pin("aclk");
    aclk2x_ = nullptr;
    for (const auto *one = pins_; one->name; ++one)
        if (std::string(one->name) == "aclk2x") aclk2x_ = static_cast<std::uint8_t *>(one->at);
    dmas_.clear();
    senders_.clear();
    takers_.clear();
    memories_.clear();
    for (const auto &dma : settings_.dmas) {
        dmas_.emplace_back(dma);
        if (dma.mm2s) senders_.push_back({&dmas_.back(), stream_pins(settings_.streams.at(*dma.mm2s))});
        if (dma.s2mm) takers_.push_back({&dmas_.back(), stream_pins(settings_.streams.at(*dma.s2mm))});
    }
    for (const auto &ring : settings_.rings)
        memories_.emplace_back(ring.name, [this](const std::string &name, unsigned *bits) { return pin(name, bits); }, memory_);
    reset();
}

void ModelBoard::unload() {
    memories_.clear();
    senders_.clear();
    takers_.clear();
    dmas_.clear();
    pins_ = nullptr;
    if (core_) end_(core_);
    core_ = nullptr;
    if (library_) dlclose(library_);
    library_ = nullptr;
}

void ModelBoard::reset() {
    auto *reset = pin("aresetn");
    set(reset, 0);
    for (int i = 0; i < kResetCycles; ++i) cycle();
    set(reset, 1);
    for (int i = 0; i < kResetCycles; ++i) cycle();
}

bool ModelBoard::programmed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return core_;
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

std::uint8_t *ModelBoard::pin(const std::string &name, unsigned *bits) {
    if (!pins_) throw BoardError(settings_.name + ": nothing answers, since no bitstream is loaded");
    for (const auto *one = pins_; one->name; ++one)
        if (one->name == name) {
            if (bits) *bits = one->bits;
            return static_cast<std::uint8_t *>(one->at);
        }
    throw InputError("--model: its core has no pin " + name + "; it belongs to another map");
}

StreamPins ModelBoard::stream_pins(const StreamSettings &stream) {
    StreamPins found;
    unsigned bits = 0;
    found.data = pin(stream.port + "_tdata", &bits);
    found.bytes = bits / 8;
    found.keep = pin(stream.port + "_tkeep");
    found.last = pin(stream.port + "_tlast");
    found.valid = pin(stream.port + "_tvalid");
    found.ready = pin(stream.port + "_tready");
    return found;
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
    const std::string kind = writes ? "s_axil_aw" : "s_axil_ar";
    unsigned bits = 0;
    auto *at = pin(kind + "addr", &bits);
    const auto offset = static_cast<std::uint32_t>((address - settings_.base) & ((std::uint64_t{1} << bits) - 1));
    set(at, offset, bytes_of(bits));
    auto *valid = pin(kind + "valid"), *ready = pin(kind + "ready");
    set(valid, 1);
    auto *wvalid = pin("s_axil_wvalid"), *wready = pin("s_axil_wready");
    if (writes) {
        set(pin("s_axil_wdata"), value, 4);
        set(pin("s_axil_wstrb"), 15);
        set(wvalid, 1);
    }
    auto *answered = pin(writes ? "s_axil_bvalid" : "s_axil_rvalid");
    auto *takes = pin(writes ? "s_axil_bready" : "s_axil_rready");
    set(takes, 1);
    for (int i = 0; i < kCyclesToAnswer; ++i) {
        eval_(core_);
        const bool address_taken = *valid && *ready, data_taken = *wvalid && *wready, over = *answered;
        std::uint32_t found = 0, response = 0;
        std::memcpy(&found, pin("s_axil_rdata"), 4);
        response = *pin(writes ? "s_axil_bresp" : "s_axil_rresp") & 3u;
        cycle();
        if (address_taken) set(valid, 0);
        if (data_taken) set(wvalid, 0);
        if (!over) continue;
        set(takes, 0);
        if (response) throw BoardError(settings_.name + ": an access to address " + std::to_string(address) + " was answered with an error");
        return found;
    }
    throw BoardError(settings_.name + ": an access to address " + std::to_string(address) + " was not answered");
}

// Sets the pins of an MM2S channel for the next cycle.
void ModelBoard::drive(Channel &channel) {
    auto &state = channel.dma->mm2s;
    auto &pins = channel.pins;
    if (!state.active) {
        set(pins.valid, 0);
        return;
    }
    const auto *from = memory_.device(state.address, state.length);
    if (!from) {
        state.fail(dma::kDecode);
        set(pins.valid, 0);
        return;
    }
    const auto bytes = std::min<std::uint32_t>(pins.bytes, state.length - state.moved);
    std::memset(pins.data, 0, pins.bytes);
    std::memcpy(pins.data, from + state.moved, bytes);
    for (unsigned i = 0; i < pins.bytes; i += 8) {
        const auto here = bytes > i ? std::min(8u, bytes - i) : 0u;
        pins.keep[i / 8] = static_cast<std::uint8_t>((1u << here) - 1u);
    }
    set(pins.last, state.moved + bytes == state.length);
    set(pins.valid, 1);
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
    for (auto &channel : takers_) set(channel.pins.ready, channel.dma->s2mm.active);
    for (auto &memory : memories_) memory.drive();
    eval_(core_);
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
    for (auto &channel : takers_) {
        if (!(*channel.pins.valid & *channel.pins.ready & 1)) continue;
        moved_ = true;
        take(channel);
        signals |= channel.dma->s2mm.interrupts();
    }
    set(aclk_, 1);
    if (aclk2x_) {
        set(aclk2x_, 1);
        eval_(core_);
        set(aclk2x_, 0);
        eval_(core_);
        set(aclk2x_, 1);
    } else {
        eval_(core_);
    }
    set(aclk_, 0);
    eval_(core_);
    if (aclk2x_) set(aclk2x_, 0);
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
