// SPDX-License-Identifier: BSD-3-Clause
// One node: its core between the receivers and the senders of its boundaries, and the epoch that all agree on.
#pragma once

#include <asio.hpp>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "core.h"
#include "engine.h"
#include "receiver.h"
#include "rings.h"
#include "sender.h"

namespace shellgen {

class Node {
public:
    // `keys` is null where connections are plain.
    Node(asio::io_context &io, const Options &options, const NodeSettings &settings, Board &board, Keys *keys);

    const NodeSettings &settings() const { return settings_; }
    std::uint32_t epoch() const { return epoch_; }
    // Resets core and ports and begins an epoch, whose first frame has this number.
    // Data connections need tokens of the order's `key`, unless it is zero.
    void begin(std::uint32_t epoch, std::uint64_t first, const protocol::Epoch &order);
    Keys *keys() const { return keys_; }
    // Whether the token of a data connection is right.
    bool admits(const protocol::Hello &hello, std::uint32_t edge);
    // Answers the HELLO of a boundary: takes the connection over, or refuses it by name of the field.
    void greet(const std::shared_ptr<Wire> &wire, const Message &message);
    // Looks for framing errors that the core has seen.
    void examine();
    protocol::Ping state() const;
    // What has failed in this epoch; empty if nothing has.
    const std::string &failure() const { return failure_; }
    // Called with it as soon as it fails.
    std::function<void(const std::string &)> on_failure;

    ~Node();
    // Takes no more frames into the core, or goes on.
    void hold(bool held);
    bool holds() const { return held_ || loading_; }
    // No frame is in the core, and all that it has put out is acknowledged.
    bool drained() const;
    bool core_empty() const;
    // Lets what is in the core come out, brings the DMAs to rest and runs `work` in a thread of its own, which throws if it
    // fails. Then the epoch is over; `done` gets what went wrong, or nothing. False if it is loading already.
    bool load(std::function<void()> work, std::function<void(const std::string &)> done);
    bool loading() const { return loading_; }
    // Begins no epoch until files have been loaded: what the core holds is not what it should.
    void block(const std::string &why) { blocked_ = why; }
    Board &board() { return board_; }
    Core &core() { return core_; }
    // Called when files were loaded and a new epoch must begin.
    std::function<void()> on_loaded;

private:
    using Clock = std::chrono::steady_clock;
    struct Channel {
        Port *port;
        Receiver *receiver = nullptr;
        Sender *sender = nullptr;
        bool busy = false;
    };

    void watch();
    // Starts and ends transfers until there is nothing more to do at present.
    void pump();
    bool step();
    bool take(Channel &channel);
    bool feed(Channel &channel);
    void poll();
    void arrive(std::uint64_t frame, std::uint64_t made);
    void fail(const std::string &text);
    bool missing() const;
    std::uint64_t most_started() const;
    void drain(Clock::time_point end, std::shared_ptr<std::function<void()>> then);
    void detach();

    asio::io_context &io_;
    const Options &options_;
    const NodeSettings &settings_;
    Board &board_;
    Keys *keys_;
    TokenGate gate_;
    Core core_;
    Rings rings_;
    std::unique_ptr<Engine> engine_;
    std::map<unsigned, std::unique_ptr<Receiver>> receivers_;  // by stream
    std::map<unsigned, std::unique_ptr<Sender>> senders_;
    std::vector<Channel> takers_, feeders_;  // out of the core, into it
    asio::posix::stream_descriptor event_;
    asio::steady_timer timer_;
    asio::steady_timer drain_;
    std::thread worker_;
    bool polls_ = false, pumping_ = false, held_ = false, loading_ = false, detached_ = false;
    std::uint32_t epoch_ = 0;
    std::string failure_, blocked_;
    std::uint64_t inside_ns_ = 0;
};

}  // namespace shellgen
