// SPDX-License-Identifier: BSD-3-Clause
#include "sender.h"

#include <algorithm>
#include <iostream>

#include "text.h"

namespace shellgen {
namespace {

constexpr std::size_t kSentAtOnce = 16;  // frames of one system call
constexpr std::chrono::milliseconds kFirstPause{4}, kLongestPause{1000};
constexpr std::chrono::seconds kGreeted{5};  // until the other side has taken the connection or refused it

}  // namespace

Sender::Sender(asio::io_context &io, const StreamSettings &stream, Buffers &buffers, unsigned slots,
               std::optional<Endpoint> to, const std::array<std::uint8_t, 32> &token, std::function<void()> room)
    : io_(io), stream_(stream), slots_(slots), to_(std::move(to)), token_(token), room_(std::move(room)), timer_(io),
      resolver_(io), random_(std::random_device{}()) {
    for (auto &slot : slots_) slot.buffer = buffers.take(stream.frame_bytes);
}

Header Sender::header() const {
    Header found;
    found.edge = stream_.edge;
    found.epoch = epoch_;
    return found;
}

void Sender::begin(std::uint32_t epoch, std::uint64_t first) {
    close();
    epoch_ = epoch;
    first_ = first;
    started_ = made_ = sent_ = acknowledged_ = limit_ = 0;
    for (auto &slot : slots_) slot.sealed = false;
    if (to_) connect();
}

void Sender::close() {
    ++generation_;
    timer_.cancel();
    resolver_.cancel();
    if (wire_) wire_->close();
    wire_.reset();
    sending_ = false;
    pause_ = std::chrono::milliseconds{0};
}

void Sender::connect() {
    const auto generation = ++generation_;
    resolver_.async_resolve(to_->host, std::to_string(to_->port),
                            [this, generation](asio::error_code error, tcp::resolver::results_type found) {
        if (generation != generation_) return;
        if (error) return retry(generation);
        auto socket = std::make_shared<tcp::socket>(io_);
        timer_.expires_after(kGreeted);
        timer_.async_wait([this, generation, socket](asio::error_code stopped) {
            if (stopped || generation != generation_) return;
            asio::error_code ignored;
            socket->close(ignored);
            lost();
        });
        asio::async_connect(*socket, found, [this, generation, socket](asio::error_code failed, const tcp::endpoint &) {
            if (generation != generation_) return;
            if (failed) return retry(generation);
            wire_ = std::make_shared<Wire>(std::move(*socket));
            greet();
        });
    });
}

// After a pause that doubles, with jitter: nodes that lost one peer do not all come back at once.
void Sender::retry(std::uint64_t generation) {
    wire_.reset();
    pause_ = std::clamp(pause_ * 2, kFirstPause, kLongestPause);
    const auto jitter = std::uniform_real_distribution<double>(0.5, 1.0)(random_);
    timer_.expires_after(std::chrono::duration_cast<std::chrono::milliseconds>(pause_ * jitter));
    timer_.async_wait([this, generation](asio::error_code error) {
        if (!error && generation == generation_) connect();
    });
}

void Sender::greet() {
    protocol::Hello hello;
    hello.low = hello.high = protocol::kVersion;
    hello.role = static_cast<std::uint8_t>(protocol::Role::SOURCE);
    hello.frame_bytes = stream_.frame_bytes;
    hello.contract = stream_.contract;
    hello.token = token_;
    wire_->write(sealed(header(), hello));
    auto wire = wire_;
    wire_->read(
        [this, wire](const Message &message) {
            if (wire != wire_) return;
            if (message.is(Type::WELCOME) && holds(message.header.frame))
                return attach(wire, message.header.frame, message.as<protocol::Welcome>().credits);
            if (message.is(Type::FAULT)) {
                const auto told = message.as<protocol::Fault>();
                // Of another epoch: one of the two has not heard of the new one yet.
                if (told.code != static_cast<std::uint32_t>(Code::EPOCH)) {
                    const auto length = std::min<std::size_t>(told.length, told.text.size());
                    const std::string text(told.text.begin(), told.text.begin() + length);
                    std::cerr << "shellgen-node: " << printable(stream_.boundary + ": " + wire->peer + " refuses: " + text)
                              << std::endl;
                }
            }
            lost();
        },
        [this, wire](Code, const std::string &) {
            if (wire == wire_) lost();
        });
}

void Sender::attach(std::shared_ptr<Wire> wire, std::uint64_t from, std::uint64_t credits) {
    if (wire_ && wire_ != wire) wire_->close();
    timer_.cancel();
    wire_ = std::move(wire);
    sending_ = false;
    pause_ = std::chrono::milliseconds{0};
    sent_ = from - first_;
    acknowledged(from, credits);
    listen();
}

void Sender::listen() {
    auto wire = wire_;
    wire->read(
        [this, wire](const Message &message) {
            if (wire != wire_) return;
            if (!message.is(Type::ACK) || message.header.epoch != epoch_) return lost();
            const auto next = message.header.frame;
            if (!holds(next) || next - oldest() > sent_ - acknowledged_) return lost();
            acknowledged(next, message.as<protocol::Ack>().credits);
            listen();
        },
        [this, wire](Code, const std::string &) {
            if (wire == wire_) lost();
        });
}

void Sender::lost() {
    if (wire_) wire_->close();
    wire_.reset();
    sending_ = false;
    if (to_) retry(++generation_);
}

void Sender::acknowledged(std::uint64_t next, std::uint64_t credits) {
    const auto before = acknowledged_;
    acknowledged_ = next - first_;
    limit_ = acknowledged_ + credits;
    if (acknowledged_ != before) room_();
    send();
}

void Sender::made() {
    slots_[made_ % slots_.size()].sealed = false;
    ++made_;
    send();
}

// Sends what there is and credits permit, with one system call for several frames.
void Sender::send() {
    if (sending_ || !attached()) return;
    const auto end = std::min({made_, limit_, sent_ + kSentAtOnce});
    if (sent_ >= end) return;
    std::vector<asio::const_buffer> parts;
    for (auto at = sent_; at < end; ++at) {
        auto &slot = slots_[at % slots_.size()];
        if (!slot.sealed) {
            auto head = header();
            head.type = static_cast<std::uint8_t>(Type::FRAME);
            head.frame = first_ + at;
            head.bytes = stream_.frame_bytes;
            head.write(slot.head.data());
            head.crc = crc32c(crc32c(0, slot.head.data(), slot.head.size()), slot.buffer.data, stream_.frame_bytes);
            head.write(slot.head.data());
            slot.sealed = true;
        }
        parts.push_back(asio::buffer(slot.head));
        parts.push_back(asio::buffer(slot.buffer.data, stream_.frame_bytes));
    }
    sending_ = true;
    auto wire = wire_;
    sent_ = end;  // an ACK may arrive before the system call has told that all has gone
    asio::async_write(wire->socket, parts, [this, wire](asio::error_code error, std::size_t) {
        if (wire != wire_ || !wire->open()) return;
        sending_ = false;
        if (error) return lost();
        send();
    });
}

}  // namespace shellgen
