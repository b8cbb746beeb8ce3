// SPDX-License-Identifier: BSD-3-Clause
#include "sender.h"

#include <algorithm>

namespace shellgen {

Sender::Sender(asio::io_context &io, const StreamSettings &stream, Buffers &buffers, unsigned slots,
               const std::vector<std::optional<Endpoint>> &to, const Secret &token, Keys *keys, std::function<void()> room,
               const std::string &network, Failed failed)
    : stream_(stream), ring_(buffers, slots, stream.frame_bytes), room_(std::move(room)) {
    if (stream.program) {
        auto made = std::make_unique<UdpOutlet>(io, stream, ring_, network, [this] { taken(); }, std::move(failed));
        card_ = made.get();
        takers_.push_back(std::move(made));
    }
    for (std::size_t k = 0; k < to.size(); ++k) {
        auto made = std::make_unique<Outlet>(io, stream, stream.consumers[k], ring_, to[k], token, keys, [this] { taken(); });
        outlets_.push_back(made.get());
        takers_.push_back(std::move(made));
    }
}

void Sender::begin(std::uint32_t epoch, std::uint64_t first, const Secret &key) {
    started_ = freed_ = ring_.made = 0;
    ring_.places.clear();
    for (auto &taker : takers_) taker->begin(epoch, first, key);
}

void Sender::close() {
    for (auto &taker : takers_) taker->close();
}

Outlet *Sender::outlet(std::uint32_t edge) {
    for (auto *one : outlets_)
        if (one->consumer().edge == edge) return one;
    return nullptr;
}

// A frame is kept until the last consumer has it.
void Sender::taken() {
    auto least = ring_.made;
    for (const auto &taker : takers_) least = std::min(least, taker->acknowledged());
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
    for (auto &taker : takers_) taker->send();
}

}  // namespace shellgen
