// SPDX-License-Identifier: BSD-3-Clause
// Both ends of a boundary to a card, over a network that loses, repeats and exchanges packets.
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "packet_ends.h"

namespace shellgen {

class PacketRun {
public:
    using Expect = std::function<void(bool, const std::string &)>;
    using Bytes = std::vector<std::uint8_t>;

    PacketRun(std::uint32_t frame_bytes, std::uint16_t beats, unsigned loss, const Expect &expect)
        : expect_(expect), loss_(loss), terms_(made(frame_bytes, beats)),
          sender_(terms_, 3, 65'530, [this](std::uint64_t frame) { return sent_.at(frame).data(); }),
          receiver_(terms_, 65'535, [this]() -> std::uint8_t * { return come_.data(); }, [this] { came(); }) {
        sender_.begin();
        receiver_.begin();
    }

    void run(unsigned frames) {
        const auto name = std::to_string(terms_.frame_bytes) + " bytes, loss " + std::to_string(loss_);
        const auto first = sent_.size();
        for (unsigned k = 0; k < frames; ++k) {
            sent_.emplace_back(terms_.frame_bytes);
            for (auto &byte : sent_.back()) byte = static_cast<std::uint8_t>(any());
        }
        sender_.offer(sent_.size());
        come_.resize(terms_.frame_bytes);
        for (unsigned step = 0; step < 50'000 && sender_.acknowledged() < sent_.size() && sender_.failure().empty(); ++step) pass();
        expect_(sender_.failure().empty() && receiver_.failure().empty(), "packets fail: " + name + ": " + sender_.failure() + receiver_.failure());
        expect_(sender_.acknowledged() == first + frames && count_ == sent_.size(), "packets stay under way: " + name);
    }
    // Another program, which knows nothing of the session.
    void forget() { receiver_.begin(); }
    const std::string &failure() const { return sender_.failure(); }
    void pass() {
        packet::Datagram one;
        while (sender_.next(now_, one)) move(one, forth_);
        while (receiver_.next(now_, one)) move(one, back_);
        for (auto &data : forth_) receiver_.take(data.data(), data.size(), now_);
        for (auto &data : back_) sender_.take(data.data(), data.size(), now_);
        forth_.clear();
        back_.clear();
        now_ += std::chrono::milliseconds{4};
    }

private:
    static packet::Terms made(std::uint32_t frame_bytes, std::uint16_t beats) {
        packet::Terms found;
        found.link = 44'613;
        found.frame_bytes = frame_bytes;
        found.packet_beats = beats;
        found.slots = 8;
        return found;
    }
    std::uint32_t any() { return (state_ = state_ * 1664525 + 1013904223) >> 16; }
    void move(const packet::Datagram &one, std::vector<Bytes> &way) {
        Bytes data(one.head.begin(), one.head.begin() + one.bytes);
        if (one.more_bytes) data.insert(data.end(), one.more, one.more + one.more_bytes);
        const auto fate = any() % 100;
        if (fate < loss_) return;
        if (fate < 2 * loss_) data[any() % data.size()] ^= 1;
        if (fate >= 100 - loss_) way.push_back(data);
        if (any() % 100 < loss_ && !way.empty()) way.insert(way.end() - 1, data);
        else way.push_back(data);
    }
    void came() {
        if (count_ >= sent_.size() || come_ != sent_[count_]) expect_(false, "another frame than was sent came as number " + std::to_string(count_));
        ++count_;
    }

    Expect expect_;
    unsigned loss_;
    packet::Terms terms_;
    std::vector<Bytes> sent_, forth_, back_;
    Bytes come_;
    std::uint64_t count_ = 0;
    std::uint32_t state_ = 1;
    PacketTime now_{std::chrono::seconds{1}};
    PacketSender sender_;
    PacketReceiver receiver_;
};

inline void packets(const PacketRun::Expect &expect) {
    for (const unsigned loss : {0, 3, 20})
        for (const auto &[bytes, beats] : {std::pair{1u, 2}, std::pair{96u, 2}, std::pair{97u, 2}, std::pair{5'000u, 23}}) {
            PacketRun run(bytes, static_cast<std::uint16_t>(beats), loss, expect);
            run.run(20);
            run.forget();  // between two frames nothing is lost; but the numbers of frames begin again
            for (unsigned step = 0; step < 100; ++step) run.pass();
            expect(run.failure().empty(), "a session that begins again between frames fails: " + run.failure());
        }
}

}  // namespace shellgen
