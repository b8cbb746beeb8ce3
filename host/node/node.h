// SPDX-License-Identifier: BSD-3-Clause
// One node: its core between the receivers and the senders of its boundaries, and the epoch that all agree on.
#pragma once

#include <asio.hpp>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "bring_up.h"
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
    // Resets core and ports and begins an epoch, whose first frame has this number; then calls `done`, unless it fails.
    // Data connections need tokens of the order's `key`, unless it is zero.
    void begin(std::uint32_t epoch, std::uint64_t first, const protocol::Epoch &order, std::function<void()> done);
    // Of a core that hardware joins to others: resets core and ports, and leaves the core in reset until the epoch begins, for which
    // it must be. The core takes no frames meanwhile. Of one whose frames go to a card by UDP: nothing more is sent to that card.
    void prepare(std::uint32_t epoch, const protocol::Epoch &order, std::function<void()> done);
    // Whoever has ordered an epoch that has not begun is gone: it does not begin.
    void abandon() { ++turn_; }
    // The epoch for which a core was prepared last.
    std::uint32_t prepared() const { return prepared_; }
    Keys *keys() const { return keys_; }
    // Whether the token of a data connection is right.
    bool admits(const protocol::Hello &hello, std::uint32_t edge);
    // Answers the HELLO of a boundary: takes the connection over, or refuses it by name of the field.
    void greet(const std::shared_ptr<Wire> &wire, const Message &message);
    // Looks for framing errors that the core has seen.
    void examine();
    protocol::Ping state();
    // What has failed in this epoch; empty if nothing has.
    const std::string &failure() const { return failure_; }
    // Called with it as soon as it fails.
    std::function<void(const std::string &)> on_failure;

    ~Node();
    // Takes no more frames into the core, or goes on.
    void hold(bool held);
    bool holds() const { return held_ || loading_; }
    // No frame is in the core, and all that it has put out is acknowledged.
    bool drained();
    bool core_empty();
    // Lets what is in the core come out, brings the DMAs to rest and runs `work` in a thread of its own, which throws if it
    // fails. Then the epoch is over; `done` gets what went wrong, or nothing. False if it is loading already.
    bool load(std::function<void()> work, std::function<void(const std::string &)> done);
    bool loading() const { return loading_; }
    // Whether its transfers can be ended, so that another bitstream may be loaded.
    bool programs() const { return !settings_.joined || takers_.empty(); }
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
    void listen();
    void fail(const std::string &text);
    bool missing() const;
    // Nothing stands against an epoch; else it fails.
    bool able();
    void close_all();
    // Tells whether it could.
    bool go_on(std::uint32_t epoch, std::uint64_t first, const Secret &key);
    // What has no session with its card; empty if there is none.
    std::string unanswered() const;
    // Waits until what cards have sent before they were held has come, where the network does not tell epochs apart; it is dropped.
    void quiet(std::function<void()> then);
    // Does a phase of what the links need, without keeping others waiting; then `done`, unless it fails or another one is begun.
    void bring_up(std::size_t phase, std::function<void()> done);
    void look_up(unsigned turn, std::function<void()> done);
    std::uint64_t most_started() const;
    // Frames of a stream that have come into the core or out of it. Throws BoardError.
    std::uint64_t passed(const StreamSettings &stream);
    std::uint64_t counted(const StreamSettings &stream);
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
    BringUp links_;
    std::unique_ptr<Engine> engine_;
    std::map<unsigned, std::unique_ptr<Receiver>> receivers_;  // by stream
    std::map<unsigned, std::unique_ptr<Sender>> senders_;
    std::map<unsigned, std::unique_ptr<UdpInlet>> inlets_;  // of those that come from a card
    std::vector<Channel> takers_, feeders_;  // out of the core, into it
    asio::posix::stream_descriptor event_;
    asio::steady_timer timer_;
    asio::steady_timer drain_, steps_;
    std::thread worker_;
    bool came_ = false, listens_ = false;  // an event has come; the timer looks whether one is missed
    unsigned unheard_ = 0;                 // transfers in a row that none has told of
    std::uint64_t moved_ = 0;
    bool polls_ = false, pumping_ = false, held_ = false, loading_ = false, detached_ = false;
    std::uint32_t epoch_ = 0, prepared_ = 0;
    bool between_ = false;  // the core is held, and its epoch has not yet begun
    unsigned turn_ = 0;     // of bringing up the links
    Clock::time_point sessions_{};  // until when all links must be up
    bool up_ = true;
    std::string failure_, blocked_;
    std::uint64_t inside_ns_ = 0;
};

}  // namespace shellgen
