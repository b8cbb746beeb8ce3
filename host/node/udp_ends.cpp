// SPDX-License-Identifier: BSD-3-Clause
#include "udp_ends.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <random>

namespace shellgen {
namespace {

constexpr unsigned kAtOnce = 256;  // datagrams that are taken before anything else has its turn
using Clock = std::chrono::steady_clock;

// Of sessions: a program that starts again differs from its predecessor.
std::uint16_t any_number() { return static_cast<std::uint16_t>(std::random_device{}()); }

}  // namespace

UdpPort::UdpPort(asio::io_context &io, const StreamSettings &stream, const std::string &network, End end, Failed failed)
    : stream_(stream), network_(network), end_(std::move(end)), failed_(std::move(failed)), socket_(io), timer_(io),
      data_(packet::kMostBeats * packet::kBeat + 1) {}

asio::ip::udp::endpoint UdpPort::endpoint(const std::string &address, std::uint16_t port) const {
    const auto told = network_.empty() ? address : network_ + address.substr(address.rfind('.'));
    return {asio::ip::make_address_v4(told), port};
}

void UdpPort::open() {
    const auto &told = *stream_.program;
    ++generation_;
    try {
        const auto here = endpoint(told.address, told.port);
        socket_.open(here.protocol());
        socket_.bind(here);
        socket_.connect(endpoint(told.peer, told.peer_port));
        socket_.non_blocking(true);
    } catch (const asio::system_error &error) {
        close();
        throw BoardError(stream_.boundary + ": " + told.address + ":" + std::to_string(told.port) + ": " + error.code().message() +
                         "; this machine must have this address, and no other program the port");
    }
    listen();
    flush();
}

void UdpPort::close() {
    ++generation_;
    timer_.cancel();
    asio::error_code ignored;
    socket_.close(ignored);
}

void UdpPort::listen() {
    socket_.async_wait(asio::ip::udp::socket::wait_read, [this, generation = generation_](asio::error_code error) {
        if (error || generation != generation_) return;
        take_all();
        if (generation == generation_) listen();
    });
}

// What the network says of a card that is away is as good as a packet that was lost.
void UdpPort::take_all() {
    const auto generation = generation_;
    for (unsigned k = 0; k < kAtOnce && generation == generation_; ++k) {
        const auto got = ::recv(socket_.native_handle(), data_.data(), data_.size(), MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (got > 0) end_.take(data_.data(), static_cast<std::size_t>(got), Clock::now());
    }
    if (generation == generation_) flush();
}

bool UdpPort::failed() {
    const auto &text = end_.failure();
    if (text.empty()) return false;
    const auto told = stream_.boundary + ": " + stream_.program->peer + ": " + text;
    close();
    failed_(told);
    return true;
}

void UdpPort::flush() {
    if (closed() || failed()) return;
    packet::Datagram made;
    while (end_.next(Clock::now(), made)) {
        iovec parts[2] = {{made.head.data(), made.bytes}, {const_cast<std::uint8_t *>(made.more), made.more_bytes}};
        msghdr message{};
        message.msg_iov = parts;
        message.msg_iovlen = made.more_bytes ? 2 : 1;
        ::sendmsg(socket_.native_handle(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);  // a refusal is a loss
    }
    wait();
}

void UdpPort::wait() {
    const auto due = end_.due();
    if (!due) return;
    timer_.expires_at(*due);
    timer_.async_wait([this, generation = generation_](asio::error_code error) {
        if (!error && generation == generation_) flush();
    });
}

UdpInlet::UdpInlet(asio::io_context &io, Receiver &receiver, const std::string &network, Failed failed)
    : end_(receiver.stream().program->terms, any_number(), [&receiver] { return receiver.place(); }, [&receiver] { receiver.came(); }),
      port_(io, receiver.stream(), network,
            {[this](std::uint8_t *data, std::size_t bytes, PacketTime now) { end_.take(data, bytes, now); },
             [this](PacketTime now, packet::Datagram &made) { return end_.next(now, made); }, [this] { return end_.due(); },
             [this]() -> const std::string & { return end_.failure(); }},
            std::move(failed)) {
    receiver.on_room = [this] {
        if (port_.closed()) return;
        end_.go_on(Clock::now());
        port_.flush();
    };
}

void UdpInlet::begin() {
    end_.begin();
    port_.open();
}

UdpOutlet::UdpOutlet(asio::io_context &io, const StreamSettings &stream, Ring &ring, const std::string &network,
                     std::function<void()> taken, Failed failed)
    : ring_(ring), taken_(std::move(taken)),
      end_(stream.program->terms, stream.program->reorder, any_number(), [this](std::uint64_t frame) { return ring_.of(frame).buffer.data; }),
      port_(io, stream, network,
            {[this](std::uint8_t *data, std::size_t bytes, PacketTime now) { take(data, bytes, now); },
             [this](PacketTime now, packet::Datagram &made) { return end_.next(now, made); },
             [this] { return std::optional<PacketTime>(end_.due()); }, [this]() -> const std::string & { return end_.failure(); }},
            std::move(failed)) {}

void UdpOutlet::begin(std::uint32_t, std::uint64_t, const Secret &) {
    acknowledged_ = 0;
    end_.begin();
    port_.open();
}

void UdpOutlet::send() {
    if (port_.closed()) return;
    end_.offer(ring_.made);
    port_.flush();
}

void UdpOutlet::take(std::uint8_t *data, std::size_t bytes, PacketTime now) {
    end_.take(data, bytes, now);
    if (end_.acknowledged() == acknowledged_) return;
    acknowledged_ = end_.acknowledged();
    taken_();
}

}  // namespace shellgen
