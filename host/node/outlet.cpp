// SPDX-License-Identifier: BSD-3-Clause
#include "outlet.h"

#include <algorithm>
#include <iostream>

#include "text.h"

namespace shellgen {
namespace {

constexpr std::chrono::milliseconds kFirstPause{4}, kLongestPause{1000};
constexpr std::chrono::seconds kGreeted{5};  // until the other side has taken the connection or refused it

}  // namespace

Outlet::Outlet(asio::io_context &io, const StreamSettings &stream, const ConsumerSettings &consumer, Ring &ring,
               std::optional<Endpoint> to, const Secret &token, Keys *keys, std::function<void()> taken)
    : io_(io), stream_(stream), consumer_(consumer), ring_(ring), heads_(ring.slots.size()), to_(std::move(to)), token_(token),
      keys_(keys), taken_(std::move(taken)), timer_(io), resolver_(io), random_(std::random_device{}()) {}

Header Outlet::header() const {
    Header found;
    found.edge = consumer_.edge;
    found.epoch = epoch_;
    return found;
}

void Outlet::begin(std::uint32_t epoch, std::uint64_t first, const Secret &key) {
    close();
    epoch_ = epoch;
    key_ = key;
    tokens_ = 0;
    first_ = first;
    sent_ = acknowledged_ = limit_ = 0;
    if (to_) connect();
}

void Outlet::close() {
    ++generation_;
    timer_.cancel();
    resolver_.cancel();
    if (wire_) wire_->close();
    wire_.reset();
    sending_ = false;
    pause_ = std::chrono::milliseconds{0};
}

void Outlet::connect() {
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
            socket->close(ignored);  // unless it has become that of wire_
            lost();
        });
        asio::async_connect(*socket, found, [this, generation, socket](asio::error_code failed, const tcp::endpoint &) {
            if (generation != generation_) return;
            if (failed) return retry(generation);
            wire_ = std::make_shared<Wire>(std::move(*socket));
            welcomed_ = false;
            if (!keys_) return greet();
            wire_->secure(keys_->client(), asio::ssl::stream_base::client, [this, generation](bool good) {
                if (generation != generation_) return;
                if (good) greet();
                else lost();
            });
        });
    });
}

// After a pause that doubles, with jitter: nodes that lost one peer do not all come back at once.
void Outlet::retry(std::uint64_t generation) {
    wire_.reset();
    pause_ = std::clamp(pause_ * 2, kFirstPause, kLongestPause);
    const auto jitter = std::uniform_real_distribution<double>(0.5, 1.0)(random_);
    timer_.expires_after(std::chrono::duration_cast<std::chrono::milliseconds>(pause_ * jitter));
    timer_.async_wait([this, generation](asio::error_code error) {
        if (!error && generation == generation_) connect();
    });
}

void Outlet::greet() {
    protocol::Hello hello;
    hello.low = hello.high = protocol::kVersion;
    hello.role = static_cast<std::uint8_t>(protocol::Role::SOURCE);
    hello.frame_bytes = stream_.frame_bytes;
    hello.contract = stream_.contract;
    hello.token = key_ == Secret{} ? token_ : one_time_token(key_, hello.role, consumer_.edge, epoch_, ++tokens_);
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
                    std::cerr << "shellgen-node: " << printable(consumer_.boundary + ": " + wire->peer + " refuses: " + text)
                              << std::endl;
                }
            }
            lost();
        },
        [this, wire](Code, const std::string &) {
            if (wire == wire_) lost();
        });
}

void Outlet::attach(std::shared_ptr<Wire> wire, std::uint64_t from, std::uint64_t credits) {
    if (wire_ && wire_ != wire) wire_->close();
    timer_.cancel();
    wire_ = std::move(wire);
    welcomed_ = true;
    wire_->pace(nullptr, &consumer_.way);
    sending_ = false;
    pause_ = std::chrono::milliseconds{0};
    sent_ = from - first_;
    take(from, credits);
    listen();
}

void Outlet::listen() {
    auto wire = wire_;
    wire->read(
        [this, wire](const Message &message) {
            if (wire != wire_) return;
            if (!message.is(Type::ACK) || message.header.epoch != epoch_) return lost();
            const auto next = message.header.frame;
            if (!holds(next) || next - oldest() > sent_ - acknowledged_) return lost();
            take(next, message.as<protocol::Ack>().credits);
            listen();
        },
        [this, wire](Code, const std::string &) {
            if (wire == wire_) lost();
        });
}

void Outlet::lost() {
    if (wire_) wire_->close();
    wire_.reset();
    sending_ = false;
    if (to_) retry(++generation_);
}

void Outlet::take(std::uint64_t next, std::uint64_t credits) {
    const auto before = acknowledged_;
    acknowledged_ = next - first_;
    limit_ = acknowledged_ + credits;
    if (acknowledged_ != before) taken_();
    send();
}

// Sends what there is and credits permit, with one system call for several frames.
void Outlet::send() {
    if (sending_ || !attached()) return;
    const auto end = std::min({ring_.made, limit_, sent_ + frames_of_a_call(stream_.frame_bytes)});
    if (sent_ >= end) return;
    std::vector<asio::const_buffer> parts;
    for (auto at = sent_; at < end; ++at) {
        auto &place = heads_[at % heads_.size()];
        auto head = header();
        head.type = static_cast<std::uint8_t>(Type::FRAME);
        head.frame = first_ + at;
        head.bytes = stream_.frame_bytes;
        head.write(place.data());
        head.crc = ring_.behind(crc32c(0, place.data(), place.size()), ring_.sum(at));
        head.write(place.data());
        parts.push_back(asio::buffer(place));
        parts.push_back(asio::buffer(ring_.of(at).buffer.data, stream_.frame_bytes));
    }
    sending_ = true;
    auto wire = wire_;
    sent_ = end;  // an ACK may arrive before the system call has told that all has gone
    wire->write_frames(parts, [this, wire](asio::error_code error, std::size_t) {
        if (wire != wire_ || !wire->open()) return;
        sending_ = false;
        if (error) return lost();
        send();
    });
}

}  // namespace shellgen
