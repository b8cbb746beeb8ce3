// SPDX-License-Identifier: BSD-3-Clause
// Registers by setCSR and getCSR, frames by host streams: Coyote reads and writes the memory of its threads, which caches of the
// processor see. It counts completed transfers by thread and not by stream, so each stream has a thread of its own.
// Source: fpgasystems/Coyote, sw/include/coyote/cThread.hpp and cOps.hpp.
#include "coyote_board.h"

#include <coyote/cThread.hpp>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <iostream>
#include <vector>

#include "run_engine.h"

namespace shellgen {
namespace {

constexpr std::size_t kHuge = std::size_t{1} << 21, kMost = std::size_t{1} << 31;
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

std::unique_ptr<coyote::cThread> thread_of(unsigned region, unsigned card) {
    return std::make_unique<coyote::cThread>(static_cast<std::int32_t>(region), getpid(), card);
}

class HostStream : public RunPort {
public:
    HostStream(const ChannelSettings &settings, const StreamSettings &stream, std::unique_ptr<coyote::cThread> thread)
        : RunPort("host stream " + std::to_string(settings.dest), stream), dest_(settings.dest), thread_(std::move(thread)) {}

    Buffer take(std::size_t) override {
        if (room_ < memory_bytes_) more();
        Buffer found{at_, reinterpret_cast<std::uintptr_t>(at_), memory_bytes_};
        std::memset(at_, 0, memory_bytes_);
        at_ += memory_bytes_;
        room_ -= memory_bytes_;
        return found;
    }
    void flush(const Buffer &, std::size_t) override { std::atomic_thread_fence(std::memory_order_seq_cst); }
    void invalidate(const Buffer &, std::size_t) override { std::atomic_thread_fence(std::memory_order_seq_cst); }

private:
    coyote::CoyoteOper operation() const { return gives() ? coyote::CoyoteOper::LOCAL_READ : coyote::CoyoteOper::LOCAL_WRITE; }
    void begin(const Buffer &buffer) override {
        guarded(name_, [&] {
            coyote::localSg sg;
            sg.addr = buffer.data;
            sg.len = memory_bytes_;
            sg.stream = coyote::STRM_HOST;
            sg.dest = dest_;
            thread_->invoke(operation(), sg, true);
        });
        ++begun_;
    }
    bool over() override {
        return guarded(name_, [&] { return thread_->checkCompleted(operation()) == begun_; });
    }
    // Another piece of memory: huge pages, or ordinary ones where there are none.
    void more() {
        const auto bytes = (memory_bytes_ + kHuge - 1) / kHuge * kHuge;
        if (bytes > kMost) throw BoardError(name_ + ": a frame is longer than Coyote's memory");
        void *found = nullptr;
        try {
            found = get(bytes, coyote::CoyoteAllocType::HPF);
        } catch (const std::exception &) {
        }
        if (!found) {
            std::cerr << "shellgen-node: " << name_ << ": no huge pages, so ordinary ones are used; set vm.nr_hugepages" << std::endl;
            found = guarded(name_, [&] { return get(bytes, coyote::CoyoteAllocType::REG); });
        }
        if (!found) throw BoardError(name_ + ": there is no memory for another frame; give --slots less");
        at_ = static_cast<std::uint8_t *>(found);
        room_ = bytes;
    }
    void *get(std::size_t bytes, coyote::CoyoteAllocType type) {
        coyote::CoyoteAlloc asked;
        asked.alloc = type;
        asked.size = static_cast<std::uint32_t>(bytes);
        return thread_->getMem(std::move(asked));
    }

    unsigned dest_;
    std::unique_ptr<coyote::cThread> thread_;  // its memory goes with it
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
        return std::make_unique<RunEngine>(settings_.name, ports_, kRemedy);
    }

private:
    std::uint32_t read(std::uint64_t address) override {
        return guarded(settings_.name, [&] { return static_cast<std::uint32_t>(thread_->getCSR(index(address))); });
    }
    void write(std::uint64_t address, std::uint32_t value) override {
        guarded(settings_.name, [&] { thread_->setCSR(value, index(address)); });
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
    std::unique_ptr<coyote::cThread> thread_;
    RunPorts ports_;
};

CoyoteBoard::CoyoteBoard(const Options &options, const NodeSettings &settings) : settings_(settings) {
    const auto &device = options.device;
    if (device.size() > 4 || device.find_first_not_of("0123456789") != std::string::npos)
        throw InputError("--device: '" + device + "' is no number of a card that runs Coyote");
    const auto card = static_cast<unsigned>(std::stoul(device));
    try {
        thread_ = thread_of(settings.region, card);
        for (const auto &one : settings.channels)
            ports_.emplace(one.stream, std::make_unique<HostStream>(one, settings.streams.at(one.stream), thread_of(settings.region, card)));
    } catch (const std::exception &error) {
        throw InputError("--device " + device + ", vFPGA " + std::to_string(settings.region) + ": " + error.what() +
                         "; is Coyote's driver loaded, and its shell in the card?");
    }
}

}  // namespace

std::unique_ptr<Board> coyote_board(const Options &options, const NodeSettings &settings) {
    if (!options.xclbin.empty()) throw InputError("--xclbin: node " + settings.name + " is in a card that runs Coyote, whose tools load it");
    return std::make_unique<CoyoteBoard>(options, settings);
}

}  // namespace shellgen
