// SPDX-License-Identifier: BSD-3-Clause
// A boundary whose frames enter the core: from a connection straight into the buffers of a DMA.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "board.h"
#include "places.h"
#include "settings.h"
#include "wire.h"

namespace shellgen {

class Receiver {
public:
    using Clock = std::chrono::steady_clock;

    // Takes all its memory from `buffers`. `ready` is called when frames have arrived.
    Receiver(asio::io_context &io, const StreamSettings &stream, Buffers &buffers, unsigned slots,
             std::function<void()> ready);

    const StreamSettings &stream() const { return stream_; }

    // Begins an epoch: no frame has been received, the next one is `first`.
    void begin(std::uint32_t epoch, std::uint64_t first);
    void close();
    bool attached() const { return wire_ && wire_->open(); }
    // Takes over a connection whose HELLO was accepted.
    void attach(std::shared_ptr<Wire> wire, Header header, protocol::Welcome welcome);

    bool waits() const { return started_ < received_; }
    std::uint64_t waiting() const { return received_ - started_; }
    std::uint64_t received() const { return received_; }
    std::uint64_t started() const { return started_; }
    // The oldest frame that the DMA has not begun; only if one waits.
    const Buffer &front() { return of(started_).buffer; }
    // When a frame came; of late ones, unless another has their place by now.
    Clock::time_point arrival(std::uint64_t frame) const { return arrivals_[frame % arrivals_.size()]; }
    void start() { ++started_; }
    // The DMA has read the oldest frame that it had begun.
    void release();
    // Of frames that come by other ways than a connection: where the next one is to be put, null while there is no room; it is there.
    std::uint8_t *place() { return room() ? of(received_).buffer.data : nullptr; }
    void came();
    // Called when there is room again.
    std::function<void()> on_room;

private:
    struct Slot {
        Buffer buffer;
        std::array<std::uint8_t, protocol::kHeaderBytes> head{};
    };

    Slot &of(std::uint64_t frame) { return slots_[places_.of(frame)]; }
    std::uint64_t room() const { return slots_.size() - (received_ - released_); }
    Header header() const;
    void receive();
    void arrived(std::size_t bytes);
    bool accept(std::size_t bytes);
    bool accept_head(const Slot &slot);
    bool accept_frame(const Slot &slot);
    void sum(const Slot &slot, std::size_t before);
    void refuse(Code code, const std::string &text);
    void acknowledge(bool now);

    const StreamSettings &stream_;
    std::vector<Slot> slots_;
    Places places_;
    std::vector<Clock::time_point> arrivals_;
    Clock::time_point now_;  // when the last bytes came
    std::function<void()> ready_;
    std::shared_ptr<Wire> wire_;
    asio::steady_timer timer_;
    bool timed_ = false, receiving_ = false;
    std::uint32_t epoch_ = 0;
    std::uint64_t first_ = 0;                                 // number of the first frame of the epoch
    std::uint64_t received_ = 0, started_ = 0, released_ = 0;  // frames of the epoch
    std::uint64_t granted_ = 0;                               // frames that the sender knows it may send
    std::uint64_t acknowledged_ = 0;
    std::size_t filled_ = 0;  // bytes of the frame that arrives
    std::uint32_t sum_ = 0;   // of what has come of its payload
};

}  // namespace shellgen
