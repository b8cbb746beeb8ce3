// SPDX-License-Identifier: BSD-3-Clause
// Streams to and from a card by UDP: the ends of packet_ends.h between sockets and the rings of frames. An end that fails, as its
// card was reset, ends the epoch.
#pragma once

#include <asio.hpp>
#include <functional>
#include <optional>

#include "packet_ends.h"
#include "receiver.h"
#include "ring.h"
#include "taker.h"

namespace shellgen {

using Failed = std::function<void(const std::string &)>;

// A socket to one card, from which datagrams come in turn with those that are to leave.
class UdpPort {
public:
    struct End {
        std::function<void(std::uint8_t *, std::size_t, PacketTime)> take;
        std::function<bool(PacketTime, packet::Datagram &)> next;
        std::function<std::optional<PacketTime>()> due;
        std::function<const std::string &()> failure;
    };

    // `network`: of a rehearsal, the first three numbers of the addresses that stand for those of the map; else empty.
    UdpPort(asio::io_context &io, const StreamSettings &stream, const std::string &network, End end, Failed failed);

    // Throws BoardError if this machine does not have the address, or another program the port.
    void open();
    void close();
    // Sends what is to leave now.
    void flush();
    bool closed() const { return !socket_.is_open(); }

private:
    asio::ip::udp::endpoint endpoint(const std::string &address, std::uint16_t port) const;
    void listen();
    void take_all();
    bool failed();
    void wait();

    const StreamSettings &stream_;
    std::string network_;
    End end_;
    Failed failed_;
    asio::ip::udp::socket socket_;
    asio::steady_timer timer_;
    std::vector<std::uint8_t> data_;
    std::uint64_t generation_ = 0;  // of sockets: handlers of earlier ones do nothing
};

// Frames that a card sends, into the ring of a receiver.
class UdpInlet {
public:
    UdpInlet(asio::io_context &io, Receiver &receiver, const std::string &network, Failed failed);

    void begin();
    void close() { port_.close(); }
    bool open() const { return end_.open(); }

private:
    PacketReceiver end_;
    UdpPort port_;
};

// Frames that a card takes, out of the ring of a sender.
class UdpOutlet final : public Taker {
public:
    UdpOutlet(asio::io_context &io, const StreamSettings &stream, Ring &ring, const std::string &network, std::function<void()> taken,
              Failed failed);

    void begin(std::uint32_t epoch, std::uint64_t first, const Secret &key) override;
    void close() override { port_.close(); }
    std::uint64_t acknowledged() const override { return acknowledged_; }
    void send() override;
    bool open() const { return end_.open(); }

private:
    void take(std::uint8_t *data, std::size_t bytes, PacketTime now);

    Ring &ring_;
    std::function<void()> taken_;
    std::uint64_t acknowledged_ = 0;
    PacketSender end_;
    UdpPort port_;
};

}  // namespace shellgen
