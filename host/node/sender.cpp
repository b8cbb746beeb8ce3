// SPDX-License-Identifier: BSD-3-Clause
#include "sender.h"

#include <algorithm>

namespace shellgen {

Sender::Sender(asio::io_context &io, const StreamSettings &stream, Buffers &buffers, unsigned slots,
               const std::vector<std::optional<Endpoint>> &to, const Secret &token, Keys *keys, std::function<void()> room)
    : stream_(stream), ring_(buffers, slots, stream.frame_bytes), room_(std::move(room)) {
    for (std::size_t k = 0; k < to.size(); ++k)
        outlets_.push_back(
            std::make_unique<Outlet>(io, stream, stream.consumers[k], ring_, to[k], token, keys, [this] { taken(); }));
}

void Sender::begin(std::uint32_t epoch, std::uint64_t first, const Secret &key) {
    started_ = freed_ = ring_.made = 0;
    ring_.places.clear();
    for (auto &outlet : outlets_) outlet->begin(epoch, first, key);
}

void Sender::close() {
    for (auto &outlet : outlets_) outlet->close();
}

Outlet *Sender::outlet(std::uint32_t edge) {
    for (auto &one : outlets_)
        if (one->consumer().edge == edge) return one.get();
    return nullptr;
}

// A frame is kept until the last consumer has it.
void Sender::taken() {
    auto least = ring_.made;
    for (const auto &outlet : outlets_) least = std::min(least, outlet->acknowledged());
    if (least == freed_) return;
    freed_ = least;
    ring_.places.release(freed_);
    room_();
}

void Sender::made() {
    ring_.of(ring_.made).summed = false;
    ++ring_.made;
}

void Sender::send() {
    for (auto &outlet : outlets_) outlet->send();
}

}  // namespace shellgen
