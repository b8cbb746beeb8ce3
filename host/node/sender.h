// SPDX-License-Identifier: BSD-3-Clause
// A boundary whose frames leave the core: from the buffers of a DMA straight to a connection. Each frame is kept
// until it is acknowledged.
#pragma once

#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "board.h"
#include "settings.h"
#include "wire.h"

namespace shellgen {

class Sender {
public:
    // Takes all its memory from `buffers`. `room` is called when buffers have become free.
    Sender(asio::io_context &io, const StreamSettings &stream, Buffers &buffers, unsigned slots,
           std::optional<Endpoint> to, const std::array<std::uint8_t, 32> &token, std::function<void()> room);

    const StreamSettings &stream() const { return stream_; }
    // Begins an epoch; connects if frames go to another node.
    void begin(std::uint32_t epoch, std::uint64_t first);
    void close();
    bool attached() const { return wire_ && wire_->open(); }
    // A client that takes frames from number `from` on. False if the frame is not there any more.
    bool holds(std::uint64_t from) const { return from - oldest() <= unsent(); }  // numbers may wrap
    std::uint64_t oldest() const { return first_ + acknowledged_; }
    void attach(std::shared_ptr<Wire> wire, std::uint64_t from, std::uint64_t credits);
    std::uint64_t slots() const { return slots_.size(); }
    bool connects() const { return to_.has_value(); }

    bool has_room() const { return started_ - acknowledged_ < slots_.size(); }
    // The buffer for the next frame, and the frame in it when the DMA has ended; only if there is room.
    const Buffer &next() const { return slots_[started_ % slots_.size()].buffer; }
    const Buffer &under_way() const { return slots_[made_ % slots_.size()].buffer; }
    void start() { ++started_; }
    void made();
    std::uint64_t count() const { return made_; }
    std::uint64_t unsent() const { return made_ - acknowledged_; }

private:
    struct Slot {
        Buffer buffer;
        std::array<std::uint8_t, protocol::kHeaderBytes> head{};
        bool sealed = false;
    };

    Header header() const;
    void connect();
    void greet();
    void retry(std::uint64_t generation);
    void listen();
    void acknowledged(std::uint64_t next, std::uint64_t credits);
    void lost();
    void send();

    asio::io_context &io_;
    const StreamSettings &stream_;
    std::vector<Slot> slots_;
    std::optional<Endpoint> to_;
    std::array<std::uint8_t, 32> token_;
    std::function<void()> room_;
    std::shared_ptr<Wire> wire_;
    asio::steady_timer timer_;
    tcp::resolver resolver_;
    std::minstd_rand random_;
    std::chrono::milliseconds pause_{0};
    std::uint64_t generation_ = 0;  // of connections: handlers of earlier ones do nothing
    bool sending_ = false;
    std::uint32_t epoch_ = 0;
    std::uint64_t first_ = 0;
    std::uint64_t started_ = 0, made_ = 0, sent_ = 0, acknowledged_ = 0;  // frames of the epoch
    std::uint64_t limit_ = 0;                                            // that credits permit
};

}  // namespace shellgen
