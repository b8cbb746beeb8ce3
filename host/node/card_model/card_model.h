// SPDX-License-Identifier: BSD-3-Clause
// The card of a rehearsal: a core in a simulator and what moves frames at its pins, behind headers that stand for those of
// XRT or of Coyote's library. It is read from a text: its first line says what it stands for, then follow
// `core <name> <library>` and `port <name> <pins> in|out`; of cards with a network of their own also `network <loopback> <loss>`
// and for each kernel beside the core `unit <name> networklayer|cmac <number> <rows>`, before these `orders <address>` if a script
// disturbs its packets, and `board <last number>` for each board in the network. Traps of real cards are kept: beats are taken before a transfer
// has begun, one without frames never ends, and no bitstream is loaded while somebody has a kernel.
// Sources: Xilinx/xup_vitis_network_example, Basic_kernels; fpgasystems/Coyote, hw/hdl.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "udp_stack.h"

namespace card_model {

// How a kind of card differs.
struct Kind {
    const char *first_line;
    std::size_t ahead;  // beats that are taken before a transfer has begun
    std::size_t chunk;  // bytes between two TLAST of what goes to the core; 0: only the end has one
};

// One transfer. Memory of the card that it reads or writes stays as long as it.
struct Run {
    std::shared_ptr<void> owner;
    std::uint8_t *data = nullptr;
    std::size_t bytes = 0, moved = 0;
    std::uint32_t number = 0;
    enum class State { New, Waiting, Done } state = State::New;
};

struct CardPort {
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
    explicit Card(const Kind &kind);

    // Throws std::runtime_error if the text is none, or somebody has a kernel.
    void load(const std::string &path);
    // A kernel in use, of which the host reaches the registers or starts runs; given back by `release`. Throws
    // std::runtime_error if there is none.
    void use(const std::string &kernel, bool registers);
    void release();
    std::uint32_t access(const std::string &kernel, bool writes, std::uint32_t offset, std::uint32_t value);
    // Queues a transfer behind those of its port.
    void start(const std::string &port, const std::shared_ptr<Run> &run);
    Run::State state(const Run &run);

private:
    std::unique_lock<std::mutex> locked();
    void unload();
    void join(std::istringstream &words, const std::string &network, unsigned loss);
    void cycle();
    void give(CardPort &port);
    void take(CardPort &port);
    void clock();

    Kind kind_;
    std::string core_name_;
    shellgen::CoreModel core_{"the card"};
    const shellgen::CoreModel::Cycle cycle_ = [this] { cycle(); };
    std::map<std::string, CardPort> ports_;
    struct Unit {
        UdpStack *stack;
        bool mac;
    };
    std::set<unsigned> boards_;  // last numbers of their addresses
    std::map<std::string, Unit> units_;                       // kernels beside the core
    std::unique_ptr<Disturb> disturb_;
    std::map<unsigned, std::unique_ptr<UdpStack>> stacks_;  // by the number of their port
    unsigned looks_ = 0;
    int users_ = 0;
    std::uint32_t chance_ = 1;
    bool moved_ = false;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::atomic<int> waiting_{0};
    bool ends_ = false;
    std::thread thread_;
};

}  // namespace card_model
