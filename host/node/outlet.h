// SPDX-License-Identifier: BSD-3-Clause
// One consumer of a sender's frames: its connection, what it has acknowledged, and what its credits permit. It takes
// frames from the sender's ring at a pace of its own.
#pragma once

#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "ring.h"
#include "settings.h"
#include "taker.h"
#include "wire.h"

namespace shellgen {

class Outlet final : public Taker {
public:
    // `keys`: connects by TLS. `taken` is called when the consumer has acknowledged frames.
    Outlet(asio::io_context &io, const StreamSettings &stream, const ConsumerSettings &consumer, Ring &ring,
           std::optional<Endpoint> to, const Secret &token, Keys *keys, std::function<void()> taken);

    const ConsumerSettings &consumer() const { return consumer_; }
    // Begins an epoch; connects if frames go to another node, with tokens of this key unless it is zero.
    void begin(std::uint32_t epoch, std::uint64_t first, const Secret &key) override;
    void close() override;
    bool connects() const { return to_.has_value(); }
    // A client that takes frames from number `from` on. False if the frame is not there any more.
    bool holds(std::uint64_t from) const { return from - oldest() <= ring_.made - acknowledged_; }  // numbers may wrap
    std::uint64_t oldest() const { return first_ + acknowledged_; }
    void attach(std::shared_ptr<Wire> wire, std::uint64_t from, std::uint64_t credits);
    std::uint64_t acknowledged() const override { return acknowledged_; }
    // Sends what there is and credits permit.
    void send() override;

private:
    bool attached() const { return welcomed_ && wire_ && wire_->open(); }
    Header header() const;
    void connect();
    void greet();
    void retry(std::uint64_t generation);
    void listen();
    void take(std::uint64_t next, std::uint64_t credits);
    void lost();

    asio::io_context &io_;
    const StreamSettings &stream_;
    const ConsumerSettings &consumer_;
    Ring &ring_;
    std::vector<std::array<std::uint8_t, protocol::kHeaderBytes>> heads_;  // of each slot
    std::optional<Endpoint> to_;
    Secret token_, key_{};
    std::uint64_t tokens_ = 0;  // used in this epoch
    Keys *keys_;                // null: plain
    std::function<void()> taken_;
    std::shared_ptr<Wire> wire_;
    asio::steady_timer timer_;
    tcp::resolver resolver_;
    std::minstd_rand random_;
    std::chrono::milliseconds pause_{0};
    std::uint64_t generation_ = 0;  // of connections: handlers of earlier ones do nothing
    bool welcomed_ = false;         // on wire_: before, it is not known which frame is the next
    bool sending_ = false;
    std::uint32_t epoch_ = 0;
    std::uint64_t first_ = 0;
    std::uint64_t sent_ = 0, acknowledged_ = 0;  // frames of the epoch
    std::uint64_t limit_ = 0;                    // that credits permit
};

}  // namespace shellgen
