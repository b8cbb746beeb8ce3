// SPDX-License-Identifier: BSD-3-Clause
// Registers and host streams of a vFPGA: Coyote reads and writes the memory of its threads, which caches of the processor see. It
// counts completed transfers by thread and not by stream, so each stream has a thread of its own.
#include "coyote_board.h"

#include <atomic>
#include <cstring>
#include <iostream>

#include "coyote_driver.h"
#include "run_engine.h"

namespace shellgen {
namespace {

constexpr std::size_t kPage = std::size_t{1} << 12, kHuge = std::size_t{1} << 21, kMost = std::size_t{1} << 31;
constexpr unsigned kThread = 48;  // bits of a virtual address, below the number of a thread
constexpr std::uint32_t kAhead = 2;  // transfers of a stream that are begun at most
constexpr const char *kRemedy = "load Coyote's shell again";

template <class Act>
auto guarded(const std::string &what, Act &&act) {
    try {
        return act();
    } catch (const BoardError &) {
        throw;
    } catch (const std::exception &error) {
        throw BoardError(what + ": " + error.what());
    }
}

std::size_t whole(std::size_t bytes, std::size_t page) { return (bytes + page - 1) / page * page; }

// Huge pages, or ordinary ones where there are none.
std::uint8_t *memory_of(CoyoteThread &thread, const std::string &name, std::size_t bytes) {
    void *found = nullptr;
    try {
        found = thread.memory(whole(bytes, kHuge), true);
    } catch (const std::exception &) {
    }
    if (!found) {
        std::cerr << "shellgen-node: " << name << ": no huge pages, so ordinary ones are used; set vm.nr_hugepages" << std::endl;
        found = guarded(name, [&] { return thread.memory(whole(bytes, kPage), false); });
    }
    if (!found) throw BoardError(name + ": there is no memory for it; give --slots less");
    return static_cast<std::uint8_t *>(found);
}

class HostStream : public RunPort {
public:
    HostStream(const ChannelSettings &settings, const StreamSettings &stream, std::unique_ptr<CoyoteThread> thread)
        : RunPort("host stream " + std::to_string(settings.dest), stream), dest_(settings.dest), thread_(std::move(thread)) {}

    Buffer take(std::size_t) override {
        if (room_ < memory_bytes_) {
            const auto bytes = whole(memory_bytes_, kHuge);
            if (bytes > kMost) throw BoardError(name_ + ": a frame is longer than Coyote's memory");
            at_ = memory_of(*thread_, name_, bytes);
            room_ = bytes;
        }
        Buffer found{at_, reinterpret_cast<std::uintptr_t>(at_), memory_bytes_};
        std::memset(at_, 0, memory_bytes_);
        at_ += memory_bytes_;
        room_ -= memory_bytes_;
        return found;
    }
    void flush(const Buffer &, std::size_t) override { std::atomic_thread_fence(std::memory_order_seq_cst); }
    void invalidate(const Buffer &, std::size_t) override { std::atomic_thread_fence(std::memory_order_seq_cst); }

private:
    void begin(const Buffer &buffer) override {
        guarded(name_, [&] { thread_->begin(dest_, gives(), buffer.data, memory_bytes_); });
        ++begun_;
    }
    void count_another() override { ++begun_; }
    bool over() override {
        const auto missing = guarded(name_, [&] { return begun_ - thread_->ended(gives()); });
        if (missing > kAhead) throw BoardError(name_ + ": Coyote tells of more transfers than were begun; " + kRemedy);
        return missing == 0;
    }

    unsigned dest_;
    std::unique_ptr<CoyoteThread> thread_;
    std::uint8_t *at_ = nullptr;
    std::size_t room_ = 0;
    std::uint32_t begun_ = 0;
};

class CoyoteBoard : public Board, private Registers, private Buffers {
public:
    CoyoteBoard(const Options &options, const NodeSettings &settings);

    Registers &registers() override { return *this; }
    Buffers &buffers() override { return *this; }
    std::unique_ptr<Engine> engine(const NodeSettings &) override {
        return std::make_unique<RunEngine>(settings_.name, ports_, kRemedy, true);
    }
    Buffer ring(const RingSettings &ring) override;

private:
    std::uint32_t read(std::uint64_t address) override {
        return guarded(settings_.name, [&] { return thread_->read(index(address)); });
    }
    void write(std::uint64_t address, std::uint32_t value) override {
        guarded(settings_.name, [&] { thread_->write(index(address), value); });
    }
    Buffer take(std::size_t) override { throw BoardError(settings_.name + ": a card has memory of its streams only"); }
    void flush(const Buffer &, std::size_t) override {}
    void invalidate(const Buffer &, std::size_t) override {}
    // Of a register of 8 bytes, in the window of the vFPGA.
    std::uint32_t index(std::uint64_t address) const {
        if (address - settings_.base >= settings_.span)
            throw BoardError(settings_.name + ": the core has no address " + std::to_string(address));
        return static_cast<std::uint32_t>((address - settings_.base) / 8);
    }

    const NodeSettings &settings_;
    std::unique_ptr<CoyoteThread> thread_, rings_;  // what the core asks for by itself is counted in the second, and nobody looks
    RunPorts ports_;
};

CoyoteBoard::CoyoteBoard(const Options &options, const NodeSettings &settings) : settings_(settings) {
    const auto &device = options.device;
    if (device.size() > 4 || device.find_first_not_of("0123456789") != std::string::npos)
        throw InputError("--device: '" + device + "' is no number of a card that runs Coyote");
    const auto card = static_cast<unsigned>(std::stoul(device));
    try {
        thread_ = coyote_thread(card, settings.region);
        for (const auto &one : settings.channels)
            ports_.emplace(one.stream, std::make_unique<HostStream>(one, settings.streams.at(one.stream), coyote_thread(card, settings.region)));
        if (!settings.rings.empty()) rings_ = coyote_thread(card, settings.region);
    } catch (const std::exception &error) {
        throw InputError("--device " + device + ", vFPGA " + std::to_string(settings.region) + ": " + error.what() +
                         "; is Coyote's driver loaded, and its shell in the card?");
    }
}

// The core asks for it by itself: an address is a thread and a virtual address.
Buffer CoyoteBoard::ring(const RingSettings &ring) {
    const auto bytes = ring.bytes + ring.align;
    auto *const found = memory_of(*rings_, "stream " + ring.boundary, bytes);
    if (ring.bank == "card") guarded("stream " + ring.boundary, [&] { rings_->offload(found); });
    const auto address = reinterpret_cast<std::uintptr_t>(found) & ((std::uint64_t{1} << kThread) - 1);
    return {found, std::uint64_t{rings_->number()} << kThread | address, bytes};
}

}  // namespace

std::unique_ptr<Board> coyote_board(const Options &options, const NodeSettings &settings) {
    if (!options.xclbin.empty()) throw InputError("--xclbin: node " + settings.name + " is in a card that runs Coyote, whose tools load it");
    if (settings.version != coyote_version())
        throw InputError("node " + settings.name + " is for Coyote v" + std::to_string(settings.version) + ", and this shellgen-node was compiled for v" +
                         std::to_string(coyote_version()) + "; compile another with cmake -DCYT_DIR=<checkout of Coyote v" +
                         std::to_string(settings.version) + ">");
    return std::make_unique<CoyoteBoard>(options, settings);
}

}  // namespace shellgen
