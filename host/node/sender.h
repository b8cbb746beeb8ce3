// SPDX-License-Identifier: BSD-3-Clause
// A stream whose frames leave the core: from the buffers of a DMA straight to the connections of its consumers. Each
// frame is read once and kept until all of them have acknowledged it; one that takes none stops the others when the ring
// is full.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "outlet.h"
#include "udp_ends.h"

namespace shellgen {

class Sender {
public:
    // Takes all its memory from `buffers`. `to`: for each consumer, the node that it is; none: the client.
    // `room` is called when buffers have become free. Of a stream to a card, `to` is empty; see `UdpPort` for the others.
    Sender(asio::io_context &io, const StreamSettings &stream, Buffers &buffers, unsigned slots,
           const std::vector<std::optional<Endpoint>> &to, const Secret &token, Keys *keys, std::function<void()> room,
           const std::string &network = {}, Failed failed = {});

    const StreamSettings &stream() const { return stream_; }
    void begin(std::uint32_t epoch, std::uint64_t first, const Secret &key);
    void close();
    // Whether a card has answered; true of all other streams.
    bool open() const { return !card_ || card_->open(); }
    // The consumer of this boundary; null if there is none.
    Outlet *outlet(std::uint32_t edge);
    std::uint64_t slots() const { return ring_.slots.size(); }

    bool has_room() const { return started_ - freed_ < ring_.slots.size(); }
    // The buffer for the next frame, and the frame in it when the DMA has ended; only if there is room.
    const Buffer &next() { return ring_.of(started_).buffer; }
    const Buffer &under_way() { return ring_.of(ring_.made).buffer; }
    void start() { ++started_; }
    void made();
    // Sends what was made, several frames together if there are.
    void send();
    std::uint64_t count() const { return ring_.made; }
    std::uint64_t unsent() const { return ring_.made - freed_; }

private:
    void taken();

    const StreamSettings &stream_;
    Ring ring_;
    std::vector<std::unique_ptr<Taker>> takers_;
    std::vector<Outlet *> outlets_;  // of these
    UdpOutlet *card_ = nullptr;
    std::function<void()> room_;
    std::uint64_t started_ = 0, freed_ = 0;  // frames of the epoch
};

}  // namespace shellgen
