// SPDX-License-Identifier: BSD-3-Clause
// The card of a rehearsal: a core in a simulator and VNx's data movers at its pins, behind what shellgen-node uses of XRT's
// interface. An xclbin is a text: its first line, then `core <kernel> <library>` and `mover <kernel> <port> in|out`.
// Traps of a real card are kept: memory of the card and of the host are two, a mover takes two beats before it is started,
// a run without frames never ends, and no bitstream is loaded while somebody has a kernel.
// Source: Xilinx/xup_vitis_network_example, Basic_kernels.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core_model.h"

namespace xrt_model {

constexpr std::size_t kBeat = 64;
constexpr int kBank = 3;  // of all buffers

// A buffer: what the host sees of it, and what lies in the card.
struct Memory {
    std::uint8_t *host = nullptr;
    std::vector<std::uint8_t> card;
    int bank = 0;
};

struct Run {
    std::shared_ptr<Memory> buffer;
    std::uint32_t bytes = 0, number = 0;
    std::size_t moved = 0;
    enum class State { New, Waiting, Done } state = State::New;
};

struct Mover {
    std::string name;
    bool gives = false;
    shellgen::StreamPins pins{};
    std::uint8_t *dest = nullptr;
    std::deque<std::shared_ptr<Run>> runs{};
    std::deque<std::array<std::uint8_t, kBeat>> ahead{};
    bool offers = false;
};

class Card {
public:
    ~Card();
    // Throws std::runtime_error if there is no such card.
    static std::shared_ptr<Card> open(const std::string &name);

    void load(const std::string &xclbin);
    // A kernel in use; given back by `release`. Throws std::runtime_error if there is none.
    void use(const std::string &kernel, bool core);
    void release();
    std::uint32_t access(bool writes, std::uint32_t offset, std::uint32_t value);
    void start(const std::string &kernel, const std::shared_ptr<Run> &run);
    Run::State state(const Run &run);

private:
    Card();
    void unload();
    void cycle();
    void give(Mover &mover);
    void take(Mover &mover);
    void clock();

    std::string core_name_, file_;
    shellgen::CoreModel core_{"the card"};
    const shellgen::CoreModel::Cycle cycle_ = [this] { cycle(); };
    std::map<std::string, Mover> movers_;
    int users_ = 0;
    std::uint32_t chance_ = 1;
    bool moved_ = false;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::atomic<int> waiting_{0};
    bool ends_ = false;
    std::thread thread_;
};

}  // namespace xrt_model
