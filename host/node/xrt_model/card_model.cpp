// SPDX-License-Identifier: BSD-3-Clause
#include "card_model.h"

#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace xrt_model {
namespace {

constexpr const char *kFirstLine = "xclbin of shellgen rehearse";
constexpr int kCyclesAtOnce = 256;  // between two looks at other threads
constexpr int kStill = 100'000;     // cycles without a beat after which the clock slows down
constexpr std::chrono::milliseconds kSlow{5};
constexpr std::size_t kAhead = 2;  // beats that wait in a mover
constexpr std::size_t kChunk = 22 * kBeat;  // bytes between two TLAST of a mover

}  // namespace

Card::Card() : thread_([this] { clock(); }) {}

Card::~Card() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        ends_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

std::shared_ptr<Card> Card::open(const std::string &name) {
    static std::shared_ptr<Card> only(new Card);
    if (name != "0" && name != "0000:65:00.1") throw std::runtime_error("Could not open device with index '" + name + "'");
    return only;
}

void Card::load(const std::string &xclbin) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::ifstream content(xclbin);
    std::string line;
    if (!std::getline(content, line) || line != kFirstLine) throw std::runtime_error("failed to load xclbin: Invalid argument");
    if (users_) throw std::runtime_error("failed to load xclbin: Device or resource busy");
    unload();
    while (std::getline(content, line)) {
        std::istringstream words(line);
        std::string what, kernel, where, way;
        words >> what >> kernel >> where >> way;
        if (what == "core") {
            core_.load(where);
            core_name_ = kernel;
        } else {
            Mover mover{kernel, way == "in"};
            mover.pins = core_.stream_pins(where);
            if (mover.gives) mover.dest = core_.pin(where + "_tdest");
            movers_.emplace(kernel, std::move(mover));
        }
    }
    core_.reset(cycle_);
}

void Card::unload() {
    movers_.clear();
    core_.unload();
}

void Card::use(const std::string &kernel, bool core) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (core ? kernel != core_name_ : !movers_.count(kernel)) throw std::runtime_error("No such kernel '" + kernel + "'");
    ++users_;
}

void Card::release() {
    const std::lock_guard<std::mutex> lock(mutex_);
    --users_;
}

std::uint32_t Card::access(bool writes, std::uint32_t offset, std::uint32_t value) {
    ++waiting_;
    const std::lock_guard<std::mutex> lock(mutex_);
    --waiting_;
    return core_.access(writes, offset, value, cycle_);
}

void Card::start(const std::string &kernel, const std::shared_ptr<Run> &run) {
    ++waiting_;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        --waiting_;
        if (run->state == Run::State::Waiting) throw std::runtime_error("the run is under way");
        if (!run->buffer || run->buffer->card.size() < run->bytes || !run->bytes) throw std::runtime_error("no buffer for the run");
        run->state = Run::State::Waiting;
        run->moved = 0;
        movers_.at(kernel).runs.push_back(run);
    }
    wake_.notify_all();
}

Run::State Card::state(const Run &run) {
    ++waiting_;
    const std::lock_guard<std::mutex> lock(mutex_);
    --waiting_;
    return run.state;
}

// Sets the pins of a mover to the core for the next cycle. A beat that was offered stays.
void Card::give(Mover &mover) {
    if (!mover.offers && !mover.runs.empty()) {
        chance_ = chance_ * 1664525u + 1013904223u;
        mover.offers = chance_ >> 29;  // memory is late now and then
    }
    shellgen::set_pin(mover.pins.valid, mover.offers);
    if (!mover.offers) return;
    const auto &run = *mover.runs.front();
    std::memcpy(mover.pins.data, run.buffer->card.data() + run.moved, kBeat);
    std::memset(mover.pins.keep, 0xff, kBeat / 8);
    const auto end = run.moved + kBeat;
    shellgen::set_pin(mover.pins.last, end == run.bytes || end % kChunk == 0);
    shellgen::set_pin(mover.dest, run.number, 2);
}

void Card::take(Mover &mover) {
    if (mover.ahead.empty() || mover.runs.empty()) return;
    auto &run = *mover.runs.front();
    std::memcpy(run.buffer->card.data() + run.moved, mover.ahead.front().data(), kBeat);
    mover.ahead.pop_front();
    run.moved += kBeat;
    if (run.moved < run.bytes) return;
    run.state = Run::State::Done;
    mover.runs.pop_front();
}

void Card::cycle() {
    for (auto &[name, mover] : movers_) {
        if (mover.gives) give(mover);
        else shellgen::set_pin(mover.pins.ready, mover.ahead.size() < kAhead);
    }
    core_.settle();
    moved_ = false;
    for (auto &[name, mover] : movers_) {
        const bool taken = *mover.pins.valid & *mover.pins.ready & 1;
        moved_ |= taken;
        if (!mover.gives) {
            if (taken) {
                mover.ahead.emplace_back();
                std::memcpy(mover.ahead.back().data(), mover.pins.data, kBeat);
            }
            take(mover);
        } else if (taken) {
            auto &run = *mover.runs.front();
            mover.offers = false;
            run.moved += kBeat;
            if (run.moved < run.bytes) continue;
            run.state = Run::State::Done;
            mover.runs.pop_front();
        }
    }
    core_.edge();
}

void Card::clock() {
    int still = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    while (!ends_) {
        if (!core_.loaded()) {
            wake_.wait(lock);
            continue;
        }
        for (int i = 0; i < kCyclesAtOnce; ++i) {
            cycle();
            still = moved_ ? 0 : still + 1;
        }
        if (still > kStill) {
            still = kStill;
            if (wake_.wait_for(lock, kSlow) == std::cv_status::no_timeout) still = 0;
        } else if (waiting_) {  // a mutex is not fair
            lock.unlock();
            while (waiting_) std::this_thread::yield();
            lock.lock();
        }
    }
}

}  // namespace xrt_model
