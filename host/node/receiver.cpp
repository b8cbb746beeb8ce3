// SPDX-License-Identifier: BSD-3-Clause
#include "receiver.h"

#include <algorithm>

namespace shellgen {
namespace {

constexpr std::chrono::milliseconds kLongest{2};  // until a frame is acknowledged

}  // namespace

Receiver::Receiver(asio::io_context &io, const StreamSettings &stream, Buffers &buffers, unsigned slots,
                   std::function<void()> ready)
    : stream_(stream), slots_(slots), places_(slots), arrivals_(slots), ready_(std::move(ready)), timer_(io) {
    for (auto &slot : slots_) slot.buffer = buffers.take(stream.frame_bytes);
}

Header Receiver::header() const {
    Header found;
    found.edge = stream_.edge;
    found.epoch = epoch_;
    found.frame = first_ + received_;
    return found;
}

void Receiver::begin(std::uint32_t epoch, std::uint64_t first) {
    close();
    epoch_ = epoch;
    first_ = first;
    received_ = started_ = released_ = granted_ = acknowledged_ = 0;
    places_.clear();
}

void Receiver::close() {
    if (wire_) wire_->close();
    wire_.reset();
    receiving_ = false;
}

void Receiver::attach(std::shared_ptr<Wire> wire, Header head, protocol::Welcome welcome) {
    close();
    wire_ = std::move(wire);
    wire_->pace(&stream_.way, nullptr);
    filled_ = 0;
    acknowledged_ = received_;
    granted_ = received_ + room();
    welcome.credits = static_cast<std::uint32_t>(room());
    head.frame = first_ + received_;
    wire_->write(sealed(head, welcome));
    receive();
}

// Reads as many frames as there are free slots, up to a limit: header and payload of each to their places.
void Receiver::receive() {
    if (receiving_ || !attached() || !room()) return;
    std::vector<asio::mutable_buffer> parts;
    const auto frames = std::min(room(), frames_of_a_call(stream_.frame_bytes));
    auto skip = filled_;
    for (std::uint64_t k = 0; k < frames; ++k) {
        auto &slot = of(received_ + k);
        if (skip < slot.head.size()) parts.push_back(asio::buffer(slot.head) + skip);
        skip -= std::min(skip, slot.head.size());
        parts.push_back(asio::buffer(slot.buffer.data, stream_.frame_bytes) + skip);
        skip = 0;
    }
    receiving_ = true;
    auto wire = wire_;
    wire->read_some(parts, [this, wire](asio::error_code error, std::size_t bytes) {
        if (wire != wire_ || !wire->open()) return;
        receiving_ = false;
        if (error) return close();
        arrived(bytes);
    });
}

void Receiver::arrived(std::size_t bytes) {
    const auto before = received_;
    now_ = Clock::now();
    const bool goes_on = accept(bytes);
    if (received_ != before) {
        ready_();  // what came before a bad message counts, too
        if (goes_on) acknowledge(false);
    }
    if (goes_on) receive();
}

// Judges what has been read. False if the connection has ended by it.
bool Receiver::accept(std::size_t bytes) {
    const std::size_t whole = protocol::kHeaderBytes + stream_.frame_bytes;
    while (bytes) {
        auto &slot = of(received_);
        const auto part = std::min(bytes, whole - filled_);
        const auto before = filled_;
        filled_ += part;
        bytes -= part;
        if (before < protocol::kHeaderBytes && filled_ >= protocol::kHeaderBytes && !accept_head(slot)) return false;
        sum(slot, before);
        if (filled_ < whole) break;
        if (!accept_frame(slot)) return false;
        filled_ = 0;
        ++received_;
    }
    return true;
}

bool Receiver::accept_head(const Slot &slot) {
    const auto head = Header::read(slot.head.data());
    if (head.magic != protocol::kMagic || head.version != protocol::kVersion) {
        refuse(Code::MALFORMED, "what follows a frame is not the header of a message");
    } else if (head.type == static_cast<std::uint8_t>(Type::BYE)) {
        close();
    } else if (head.type != static_cast<std::uint8_t>(Type::FRAME) || head.bytes != stream_.frame_bytes) {
        refuse(Code::MALFORMED, "a message of type " + std::to_string(head.type) + " with " + std::to_string(head.bytes) +
                                    " bytes, where only frames of " + std::to_string(stream_.frame_bytes) + " are permitted");
    } else if (head.edge != stream_.edge || head.epoch != epoch_) {
        refuse(Code::EPOCH, "a frame of another boundary or epoch");
    } else if (head.frame != first_ + received_) {
        refuse(Code::ORDER, "frame " + std::to_string(head.frame) + " instead of " + std::to_string(first_ + received_));
    } else {
        return true;
    }
    return false;
}

// Continues the checksum of a frame over what has come, while it is in the cache.
void Receiver::sum(const Slot &slot, std::size_t before) {
    if (filled_ < protocol::kHeaderBytes) return;
    if (before < protocol::kHeaderBytes) {
        auto head = Header::read(slot.head.data());
        head.crc = 0;
        std::uint8_t raw[protocol::kHeaderBytes];
        head.write(raw);
        sum_ = crc32c(0, raw, sizeof raw);
        before = protocol::kHeaderBytes;
    }
    sum_ = crc32c(sum_, slot.buffer.data + (before - protocol::kHeaderBytes), filled_ - before);
}

bool Receiver::accept_frame(const Slot &slot) {
    const auto head = Header::read(slot.head.data());
    if (sum_ != head.crc) {
        refuse(Code::CHECKSUM, "the checksum of frame " + std::to_string(head.frame) + " is wrong");
        return false;
    }
    arrivals_[received_ % arrivals_.size()] = now_;
    return true;
}

void Receiver::came() {
    arrivals_[received_ % arrivals_.size()] = Clock::now();
    ++received_;
    ready_();
}

void Receiver::refuse(Code code, const std::string &text) {
    wire_->end(fault(header(), code, text));
    wire_.reset();
    receiving_ = false;
}

void Receiver::release() {
    ++released_;
    places_.release(released_);
    if (on_room) return on_room();
    receive();
    acknowledge(false);
}

// Tells the sender what has arrived and what may be sent. Few messages suffice while it has credits.
void Receiver::acknowledge(bool now) {
    if (!attached()) return;
    const auto limit = received_ + room();
    if (acknowledged_ == received_ && granted_ == limit) return;
    const auto quarter = std::max<std::uint64_t>(1, slots_.size() / 4);
    if (now || limit - granted_ >= quarter || received_ - acknowledged_ >= quarter) {
        protocol::Ack ack;
        ack.credits = static_cast<std::uint32_t>(room());
        acknowledged_ = received_;
        granted_ = limit;
        wire_->write(sealed(header(), ack));
    } else if (!timed_) {
        timed_ = true;
        timer_.expires_after(kLongest);
        timer_.async_wait([this](asio::error_code error) {
            timed_ = false;
            if (!error) acknowledge(true);
        });
    }
}

}  // namespace shellgen
