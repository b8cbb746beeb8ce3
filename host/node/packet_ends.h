// SPDX-License-Identifier: BSD-3-Clause
// The two ends of a boundary to or from a card, by packets (docs/vnx.md): sessions, acknowledgements, what is sent again. They know
// neither sockets nor clocks. A frame that was lost, with a session, is a failure: the epoch must end.
#pragma once

#include <functional>
#include <optional>

#include "packet.h"

namespace shellgen {

using PacketTime = std::chrono::steady_clock::time_point;

class PacketSender {
public:
    // `number`: of sessions before, which differs from that of a program that was here before. `frame`: the bytes of a frame of the
    // epoch, from when it is offered until it is acknowledged.
    PacketSender(const packet::Terms &terms, unsigned reorder, std::uint16_t number, std::function<const std::uint8_t *(std::uint64_t)> frame);

    // Begins an epoch: nothing was sent.
    void begin();
    // So many frames of the epoch may be sent.
    void offer(std::uint64_t made) { made_ = made; }
    void take(std::uint8_t *data, std::size_t bytes, PacketTime now);
    // The next datagram that is to leave now; false if there is none.
    bool next(PacketTime now, packet::Datagram &made);
    // When there may be one although nothing has come.
    PacketTime due() const { return due_; }
    bool open() const { return peer_.has_value(); }
    std::uint64_t acknowledged() const { return base_ + acked_ / terms_.pieces(); }  // frames of the epoch
    const std::string &failure() const { return failure_; }

private:
    struct Sent {
        std::uint32_t turn = 0;
        bool had = false;  // by the receiver, which misses one before it
    };

    void open_session();
    void restart();
    void acknowledge(const std::uint8_t *beat, PacketTime now);
    void transmit(packet::Datagram &made, std::uint64_t number, PacketTime now);
    void say_hello(packet::Datagram &made);
    Sent &sent(std::uint64_t number) { return sent_[number % sent_.size()]; }

    packet::Terms terms_;
    std::int32_t reorder_;
    std::function<const std::uint8_t *(std::uint64_t)> frame_;
    std::vector<Sent> sent_;
    std::vector<std::uint8_t> hello_;
    std::uint16_t session_;
    std::optional<std::uint16_t> peer_;  // the receiver's half of the session
    std::uint64_t made_ = 0, base_ = 0;  // frames of the epoch; the first of the session
    std::uint64_t acked_ = 0, high_ = 0;  // packets of the session
    std::uint32_t limit_ = 0, turn_ = 1, echoed_ = 0;
    unsigned strange_ = 0;
    bool asked_ = false, probe_ = false;
    PacketTime due_{};
    std::string failure_;
};

class PacketReceiver {
public:
    // `place`: where the frame that comes is to be put, null while there is no room; `came`: it is whole.
    PacketReceiver(const packet::Terms &terms, std::uint16_t number, std::function<std::uint8_t *()> place, std::function<void()> came);

    // Begins an epoch: nothing has come.
    void begin();
    void take(std::uint8_t *data, std::size_t bytes, PacketTime now);
    // There is room again.
    void go_on(PacketTime now) { hand_on(now); }
    bool next(PacketTime now, packet::Datagram &made);
    // When an answer that waits must leave.
    std::optional<PacketTime> due() const;
    bool open() const { return peer_.has_value(); }
    const std::string &failure() const { return failure_; }

private:
    struct Slot {
        bool has = false, sof = false, eof = false, taint = false;
        std::uint32_t frame = 0;
        std::vector<std::uint8_t> data;
    };
    enum Answer { kWelcome, kAck, kRefuse, kRestart, kAnswers };

    bool fits(const std::uint8_t *data, std::size_t bytes) const;
    void greet(const std::uint8_t *data);
    void enter(std::uint32_t turn);
    void put(const std::uint8_t *data, std::size_t bytes, PacketTime now);
    bool accept(Slot &slot);
    void hand_on(PacketTime now);
    void changed(PacketTime now);
    void acknowledge(bool nak);
    packet::Beat &answer(Answer kind, std::uint32_t number);
    Slot &slot(std::uint64_t number) { return slots_[number % slots_.size()]; }

    packet::Terms terms_;
    std::function<std::uint8_t *()> place_;
    std::function<void()> came_;
    std::vector<Slot> slots_;
    std::uint16_t session_;
    std::optional<std::uint16_t> peer_, candidate_;
    std::uint64_t expected_ = 0, freed_ = 0, newest_ = 0, told_ = 0;  // packets of the session
    std::uint64_t ahead_ = 0;                                         // that came before one that is missing
    std::uint32_t turn_ = 0;
    std::uint64_t frames_ = 0;  // of the epoch
    std::array<std::optional<packet::Beat>, kAnswers> answers_;
    std::optional<PacketTime> news_;  // since when something has changed
    bool handing_ = false;
    std::string failure_;
};

}  // namespace shellgen
