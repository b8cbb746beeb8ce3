// SPDX-License-Identifier: BSD-3-Clause
#include "card_model.h"

#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace card_model {
namespace {

constexpr int kCyclesAtOnce = 256;  // between two looks at other threads
constexpr int kStill = 100'000;     // cycles without a beat after which the clock slows down
constexpr std::chrono::milliseconds kSlow{5};
constexpr unsigned kLook = 16;  // cycles between two looks at the network

}  // namespace

Card::Card(const Kind &kind) : kind_(kind), thread_([this] { clock(); }) {}

Card::~Card() {
    {
        const auto lock = locked();
        ends_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

// A mutex is not fair: the clock makes way for whoever waits.
std::unique_lock<std::mutex> Card::locked() {
    ++waiting_;
    std::unique_lock<std::mutex> lock(mutex_);
    --waiting_;
    return lock;
}

void Card::load(const std::string &path) {
    const auto lock = locked();
    std::ifstream content(path);
    std::string line;
    if (!std::getline(content, line) || line != kind_.first_line) throw std::runtime_error("failed to load the card: Invalid argument");
    if (users_) throw std::runtime_error("failed to load the card: Device or resource busy");
    unload();
    std::string network;
    unsigned loss = 0;
    while (std::getline(content, line)) {
        std::istringstream words(line);
        std::string what, name, where, way;
        words >> what;
        if (what == "network") {
            words >> network >> loss;
            continue;
        }
        if (what == "board") {
            unsigned last = 0;
            words >> last;
            boards_.insert(last);
            continue;
        }
        if (what == "orders") {
            words >> name;
            disturb_ = std::make_unique<Disturb>(name);
            continue;
        }
        if (what == "unit") {
            join(words, network, loss);
            continue;
        }
        words >> name >> where >> way;
        if (what == "core") {
            core_.load(where);
            core_name_ = name;
            continue;
        }
        CardPort port{way == "in"};
        port.pins = core_.stream_pins(where);
        if (port.gives && kind_.chunk) port.dest = core_.pin(where + "_tdest");  // the number of the run
        ports_.emplace(name, std::move(port));
    }
    core_.reset(cycle_);
    wake_.notify_all();  // the clock of a card that nothing is moved to by its host
}

// Both kernels of a port are one model.
void Card::join(std::istringstream &words, const std::string &network, unsigned loss) {
    std::string name, block;
    unsigned number = 0, rows = 0;
    words >> name >> block >> number >> rows;
    auto &stack = stacks_[number];
    if (!stack) {
        const auto out = "m_vnx" + std::to_string(number), in = "s_vnx" + std::to_string(number);
        stack = std::make_unique<UdpStack>(network, rows, loss, core_.stream_pins(out), core_.pin(out + "_tdest"), core_.stream_pins(in),
                                           core_.pin(in + "_tdest"), disturb_.get());
        for (const auto last : boards_) stack->knows(last);
    }
    units_[name] = {stack.get(), block == "cmac"};
}

void Card::unload() {
    ports_.clear();
    units_.clear();
    boards_.clear();
    disturb_.reset();  // with what it holds for them
    stacks_.clear();
    core_.unload();
}

void Card::use(const std::string &kernel, bool registers) {
    const auto lock = locked();
    if (registers ? kernel != core_name_ && !units_.count(kernel) : !ports_.count(kernel)) throw std::runtime_error("No such kernel '" + kernel + "'");
    ++users_;
}

void Card::release() {
    const auto lock = locked();
    --users_;
}

std::uint32_t Card::access(const std::string &kernel, bool writes, std::uint32_t offset, std::uint32_t value) {
    const auto lock = locked();
    if (const auto unit = units_.find(kernel); unit != units_.end()) {
        auto &stack = *unit->second.stack;
        stack.poll();  // however slow the clock is
        return unit->second.mac ? stack.mac(writes, offset, value) : stack.layer(writes, offset, value);
    }
    return core_.access(writes, offset, value, cycle_);
}

void Card::start(const std::string &port, const std::shared_ptr<Run> &run) {
    {
        const auto lock = locked();
        if (run->state == Run::State::Waiting) throw std::runtime_error("the run is under way");
        if (!run->data || !run->bytes || run->bytes % kBeat) throw std::runtime_error("no buffer for the run");
        run->state = Run::State::Waiting;
        run->moved = 0;
        ports_.at(port).runs.push_back(run);
    }
    wake_.notify_all();
}

Run::State Card::state(const Run &run) {
    const auto lock = locked();
    return run.state;
}

// Sets the pins of a port to the core for the next cycle. A beat that was offered stays.
void Card::give(CardPort &port) {
    if (!port.offers && !port.runs.empty()) {
        chance_ = chance_ * 1664525u + 1013904223u;
        port.offers = chance_ >> 29;  // memory is late now and then
    }
    shellgen::set_pin(port.pins.valid, port.offers);
    if (!port.offers) return;
    const auto &run = *port.runs.front();
    std::memcpy(port.pins.data, run.data + run.moved, kBeat);
    std::memset(port.pins.keep, 0xff, kBeat / 8);
    const auto end = run.moved + kBeat;
    shellgen::set_pin(port.pins.last, end == run.bytes || (kind_.chunk && end % kind_.chunk == 0));
    if (port.dest) shellgen::set_pin(port.dest, run.number, 2);
}

void Card::take(CardPort &port) {
    if (port.ahead.empty() || port.runs.empty()) return;
    auto &run = *port.runs.front();
    std::memcpy(run.data + run.moved, port.ahead.front().data(), kBeat);
    port.ahead.pop_front();
    run.moved += kBeat;
    if (run.moved < run.bytes) return;
    run.state = Run::State::Done;
    port.runs.pop_front();
}

void Card::cycle() {
    const bool looks = ++looks_ % kLook == 0;
    if (looks && disturb_) disturb_->poll();
    for (auto &[number, stack] : stacks_) {
        if (looks) stack->poll();
        stack->offer();
    }
    for (auto &[name, port] : ports_) {
        if (port.gives) give(port);
        else shellgen::set_pin(port.pins.ready, port.ahead.size() < kind_.ahead);
    }
    core_.settle();
    moved_ = false;
    for (auto &[number, stack] : stacks_) moved_ |= stack->move();
    for (auto &[name, port] : ports_) {
        const bool taken = *port.pins.valid & *port.pins.ready & 1;
        moved_ |= taken;
        if (!port.gives) {
            if (taken) {
                port.ahead.emplace_back();
                std::memcpy(port.ahead.back().data(), port.pins.data, kBeat);
            }
            take(port);
        } else if (taken) {
            auto &run = *port.runs.front();
            port.offers = false;
            run.moved += kBeat;
            if (run.moved < run.bytes) continue;
            run.state = Run::State::Done;
            port.runs.pop_front();
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
        for (int i = 0; i < kCyclesAtOnce && !waiting_; ++i) {
            cycle();
            still = moved_ ? 0 : still + 1;
        }
        if (still > kStill) {
            still = kStill;
            if (wake_.wait_for(lock, kSlow) == std::cv_status::no_timeout) still = 0;
        } else if (waiting_) {
            lock.unlock();
            while (waiting_) std::this_thread::yield();
            lock.lock();
        }
    }
}

}  // namespace card_model
