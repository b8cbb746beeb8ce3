// SPDX-License-Identifier: BSD-3-Clause
// What a script breaks between cards in a rehearsal: packets of one boundary are lost, late, out of order or altered, once for each
// order. Orders and answers are lines of text in datagrams: `<number> <kind> <link> <ms>`, then `<number> armed`, `<number> done`.
#pragma once

#include <netinet/in.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace card_model {

using Packet = std::vector<std::uint8_t>;

class Disturb {
public:
    using Go = std::function<void(const Packet &)>;

    // `address`: where orders come. Throws std::runtime_error if it cannot be had.
    explicit Disturb(const std::string &address);
    Disturb(const Disturb &) = delete;
    ~Disturb();

    // Takes an order; lets go what was held long enough.
    void poll();
    // Decides what becomes of a packet; `go` is called with what passes, now or later.
    void pass(const Packet &packet, const Go &go);

private:
    using Clock = std::chrono::steady_clock;
    enum class Kind { None, Cut, Delay, Reorder, Corrupt };

    void take();
    void answer(const char *what);
    void release();
    void end();

    int socket_ = -1;
    sockaddr_in from_{};
    std::uint64_t number_ = 0;  // of the newest order
    bool done_ = false;
    Kind kind_ = Kind::None;
    std::uint16_t link_ = 0;
    std::chrono::milliseconds time_{};
    bool begun_ = false;
    Clock::time_point end_{};
    unsigned behind_ = 0;  // packets that have overtaken
    std::deque<std::pair<Packet, Go>> held_;
};

}  // namespace card_model
