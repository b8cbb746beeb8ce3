// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes both ends of a boundary to a card. A network that loses, repeats, alters and reorders datagrams must not change what
// arrives, nor keep it from arriving; datagrams of somebody who knows the protocol must not reach beyond a buffer.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "packet_ends.h"

namespace {

using namespace shellgen;

constexpr unsigned kFrames = 6, kMostSteps = 200, kRoom = 3;

[[noreturn]] void found(const char *what) {
    std::fprintf(stderr, "found: %s\n", what);
    std::abort();
}

using Bytes = std::vector<std::uint8_t>;

Bytes joined(const packet::Datagram &made) {
    Bytes all(made.head.begin(), made.head.begin() + made.bytes);
    if (made.more_bytes) all.insert(all.end(), made.more, made.more + made.more_bytes);
    return all;
}

struct Pair {
    explicit Pair(const packet::Terms &terms)
        : slots(terms.slots), frames(kFrames, Bytes(terms.frame_bytes)), came(kFrames + 1, Bytes(terms.frame_bytes)),
          sender(terms, 3, 65'534, [this](std::uint64_t frame) { return frames.at(frame).data(); }),
          receiver(terms, 65'533, [this]() -> std::uint8_t * { return whole - taken < kRoom && whole < came.size() ? came[whole].data() : nullptr; },
                   [this] { ++whole; }) {
        for (unsigned k = 0; k < kFrames; ++k)
            for (std::size_t at = 0; at < frames[k].size(); ++at) frames[k][at] = static_cast<std::uint8_t>(k * 31 + at * 7 + 1);
        sender.begin();
        receiver.begin();
        sender.offer(kFrames);
    }
    unsigned slots;
    std::vector<Bytes> frames, came;
    std::uint64_t whole = 0, taken = 0;
    PacketSender sender;
    PacketReceiver receiver;
    PacketTime now{std::chrono::seconds{10}};

    void move(std::vector<Bytes> &forth, std::vector<Bytes> &back) {
        packet::Datagram made;
        for (unsigned k = 0; k < 16 && sender.next(now, made); ++k) forth.push_back(joined(made));
        while (receiver.next(now, made)) back.push_back(joined(made));
    }
    bool failed() const { return !sender.failure().empty() || !receiver.failure().empty(); }
    void check() const {
        // Acknowledged packets may wait for room in frames.
        if (whole > kFrames || sender.acknowledged() > whole + slots) found("a frame that nobody sent, or that did not come");
        for (std::uint64_t k = 0; k < whole; ++k)
            if (came[k] != frames[k]) found("another frame than was sent");
    }
};

void network(FuzzedDataProvider &data, Pair &pair) {
    std::vector<Bytes> forth, back;
    for (unsigned step = 0; step < kMostSteps && data.remaining_bytes(); ++step) {
        pair.move(forth, back);
        auto &way = data.ConsumeBool() ? forth : back;
        const bool goes_forth = &way == &forth;
        const auto act = data.ConsumeIntegralInRange<unsigned>(0, 5);
        if (act == 5) pair.now += std::chrono::milliseconds{data.ConsumeIntegralInRange<int>(1, 60)};
        if (act == 4 && pair.taken < pair.whole) {
            ++pair.taken;
            pair.receiver.go_on(pair.now);
        }
        if (act < 4 && !way.empty()) {
            const auto place = data.ConsumeBool() ? 0 : data.ConsumeIntegralInRange<std::size_t>(0, way.size() - 1);
            auto one = way[place];
            if (act != 1) way.erase(way.begin() + static_cast<std::ptrdiff_t>(place));  // 1: it is repeated
            if (act == 3) one[data.ConsumeIntegralInRange<std::size_t>(0, one.size() - 1)] ^= 1 << data.ConsumeIntegralInRange<int>(0, 7);
            if (act != 2) goes_forth ? pair.receiver.take(one.data(), one.size(), pair.now) : pair.sender.take(one.data(), one.size(), pair.now);
        }
        pair.check();
    }
    // Then a good one.
    for (unsigned step = 0; step < 4000 && !pair.failed() && (pair.sender.acknowledged() < kFrames || pair.whole < kFrames); ++step) {
        pair.move(forth, back);
        for (auto &one : forth) pair.receiver.take(one.data(), one.size(), pair.now);
        for (auto &one : back) pair.sender.take(one.data(), one.size(), pair.now);
        forth.clear();
        back.clear();
        pair.taken = pair.whole;
        pair.receiver.go_on(pair.now);
        pair.now += std::chrono::milliseconds{5};
        pair.check();
    }
    if (pair.failed()) found("a network is no reset");
    if (pair.sender.acknowledged() != kFrames || pair.whole != kFrames) found("frames stay under way");
}

// Packets with right checksums, whose fields are anything.
void stranger(FuzzedDataProvider &data, Pair &pair, const packet::Terms &terms) {
    std::vector<Bytes> forth, back;
    for (unsigned step = 0; step < kMostSteps && data.remaining_bytes(); ++step) {
        pair.move(forth, back);
        for (const auto *way : {&forth, &back})
            for (auto one : *way)
                if (data.ConsumeBool()) way == &forth ? pair.receiver.take(one.data(), one.size(), pair.now) : pair.sender.take(one.data(), one.size(), pair.now);
        auto *const from = back.empty() ? &forth : &back;
        packet::Datagram made;
        const auto old = !from->empty() && data.ConsumeBool() ? from->back() : Bytes(packet::kBeat);
        made.head = packet::head(data.ConsumeIntegralInRange<unsigned>(0, 15), terms.link);
        if (old.size() >= packet::kBeat && data.ConsumeBool()) std::memcpy(made.head.data(), old.data(), packet::kBeat);
        for (const auto *field : {&packet::SOF, &packet::EOF_, &packet::BYTES, &packet::SEQ, &packet::FRAME, &packet::TX_EPOCH, &packet::RX_EPOCH,
                                  &packet::TURN, &packet::KIND, &packet::SLOTS})
            if (data.ConsumeBool()) {
                for (unsigned k = 0; k < (field->bits + 7) / 8; ++k) made.head[field->bit / 8 + k] &= static_cast<std::uint8_t>(field->bits < 8 ? ~(((1u << field->bits) - 1) << field->bit % 8) : 0);
                const auto value = data.ConsumeBool() ? data.ConsumeIntegralInRange<std::uint32_t>(0, 40) : data.ConsumeIntegral<std::uint32_t>();
                packet::put(made.head.data(), *field, field->bits < 32 ? value & ((1u << field->bits) - 1) : value);
            }
        const auto more = data.ConsumeBytes<std::uint8_t>(data.ConsumeIntegralInRange<std::size_t>(0, 64));
        if (data.ConsumeBool()) made.bytes = packet::HEADER_BYTES;
        made.more = more.data();
        made.more_bytes = more.size();
        packet::seal(made);
        auto bytes = joined(made);
        data.ConsumeBool() ? pair.receiver.take(bytes.data(), bytes.size(), pair.now) : pair.sender.take(bytes.data(), bytes.size(), pair.now);
        forth.clear();
        back.clear();
        pair.now += std::chrono::milliseconds{3};
        pair.taken = pair.whole;
        if (pair.sender.acknowledged() > kFrames) found("more frames acknowledged than there are");
        if (pair.whole >= kFrames) return;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
    FuzzedDataProvider data(bytes, size);
    packet::Terms terms;
    terms.link = 7;
    terms.frame_bytes = data.ConsumeIntegralInRange<std::uint32_t>(1, 500);
    terms.packet_beats = data.ConsumeIntegralInRange<std::uint16_t>(2, 3);
    terms.slots = 4u << data.ConsumeIntegralInRange<unsigned>(0, 2);
    Pair pair(terms);
    if (data.ConsumeBool()) network(data, pair);
    else stranger(data, pair, terms);
    return 0;
}
