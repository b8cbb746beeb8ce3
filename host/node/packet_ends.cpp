// SPDX-License-Identifier: BSD-3-Clause
#include "packet_ends.h"

#include <cstring>

namespace shellgen {
namespace {

using namespace packet;

constexpr std::chrono::milliseconds kHello{50}, kSilence{20}, kNews{1};
constexpr unsigned kStrange = 16;  // answers to PROBEs in a row, until the two ends do not mean the same session
constexpr unsigned kAckEvery = 4;  // packets

std::uint32_t low(std::uint64_t number) { return static_cast<std::uint32_t>(number); }

std::uint32_t number(const std::uint8_t *beat, const Field &field) { return low(get(beat, field)); }

}  // namespace

PacketSender::PacketSender(const Terms &terms, unsigned reorder, std::uint16_t number, std::function<const std::uint8_t *(std::uint64_t)> frame)
    : terms_(terms), reorder_(static_cast<std::int32_t>(reorder)), frame_(std::move(frame)), sent_(terms.slots),
      hello_(terms.packet_beats * kBeat), session_(number) {
    begin();
}

void PacketSender::begin() {
    made_ = base_ = 0;
    failure_.clear();
    open_session();
}

void PacketSender::open_session() {
    ++session_;
    peer_.reset();
    acked_ = high_ = 0;
    limit_ = echoed_ = 0;
    turn_ = 1;
    strange_ = 0;
    asked_ = probe_ = false;
    due_ = {};
}

// The other end has lost the session. Between two frames that loses nothing.
void PacketSender::restart() {
    if (acked_ != high_ || acked_ % terms_.pieces()) {
        failure_ = "the card was reset and may have lost frame " + std::to_string(acknowledged());
        return;
    }
    base_ = acknowledged();
    open_session();
}

void PacketSender::take(std::uint8_t *data, std::size_t bytes, PacketTime now) {
    if (!failure_.empty() || bytes != kBeat || !opened(data, bytes)) return;
    const auto kind = number(data, KIND);
    const bool ours = number(data, TX_EPOCH) == session_;
    if (kind == REFUSE && ours && !open()) {
        failure_ = "the card has another " + named(number(data, SEQ)) + "; load what was generated together";
        return;
    }
    if (number(data, LINK) != terms_.link) return;
    if (kind == WELCOME && ours && !open()) {
        peer_ = static_cast<std::uint16_t>(number(data, RX_EPOCH));
        limit_ = number(data, FRAME);
        probe_ = true;
    } else if (open() && ours && number(data, RX_EPOCH) == *peer_) {
        if (kind == ACK) acknowledge(data, now);
        if (kind == RESTART) restart();
    }
}

void PacketSender::acknowledge(const std::uint8_t *beat, PacketTime now) {
    const bool asked = asked_;
    asked_ = false;
    const auto freed = after(number(beat, SEQ), low(acked_));
    if (freed < 0 || static_cast<std::uint64_t>(freed) > high_ - acked_) {
        strange_ += asked;
        if (strange_ == kStrange) restart();
        return;
    }
    strange_ = 0;
    acked_ += static_cast<std::uint64_t>(freed);
    if (after(number(beat, FRAME), limit_) > 0) limit_ = number(beat, FRAME);
    const auto turn = number(beat, TURN);
    if (after(turn, echoed_) > 0 && after(turn_, turn) > 0) echoed_ = turn;
    for (auto k = acked_; k < high_; ++k) {
        const auto place = k % sent_.size();
        if (beat[HAVE.bit / 8 + place / 8] >> place % 8 & 1) sent(k).had = true;
    }
    if (freed) due_ = now + kSilence;
}

bool PacketSender::next(PacketTime now, Datagram &made) {
    if (!failure_.empty()) return false;
    if (!open()) {
        if (now < due_) return false;
        due_ = now + kHello;
        say_hello(made);
        return true;
    }
    // What is lost: enough that was sent later has arrived. The receiver may still drop what is next in the order.
    for (auto k = acked_; k < high_; ++k) {
        if ((k != acked_ && sent(k).had) || after(echoed_, sent(k).turn) <= reorder_) continue;
        transmit(made, k, now);
        return true;
    }
    const auto all = (made_ - base_) * terms_.pieces();
    if (high_ < all && high_ - acked_ < sent_.size() && after(limit_, low(high_)) > 0) {
        sent(high_).had = false;
        transmit(made, high_++, now);
        return true;
    }
    if (!probe_ && now < due_) return false;
    probe_ = false;
    asked_ = true;
    due_ = now + kSilence;
    // It stands for as many as may be in another order: all older ones that are not had are lost.
    turn_ += static_cast<std::uint32_t>(reorder_);
    made = {};
    made.head = head(PROBE, terms_.link);
    auto *const beat = made.head.data();
    packet::put(beat, SEQ, low(high_));
    packet::put(beat, TX_EPOCH, session_);
    packet::put(beat, RX_EPOCH, *peer_);
    packet::put(beat, TURN, turn_++);
    seal(made);
    return true;
}

void PacketSender::transmit(Datagram &made, std::uint64_t number, PacketTime now) {
    const auto piece = number % terms_.pieces(), frame = base_ + number / terms_.pieces();
    const auto bytes = terms_.bytes_of(piece);
    made = {};
    made.head = head(DATA, terms_.link);
    auto *const beat = made.head.data();
    packet::put(beat, SOF, piece == 0);
    packet::put(beat, EOF_, piece + 1 == terms_.pieces());
    packet::put(beat, BYTES, bytes);
    packet::put(beat, SEQ, low(number));
    packet::put(beat, FRAME, low(frame));
    packet::put(beat, TX_EPOCH, session_);
    packet::put(beat, RX_EPOCH, *peer_);
    packet::put(beat, TURN, turn_);
    made.bytes = HEADER_BYTES;
    made.more = frame_(frame) + piece * terms_.full_bytes();
    made.more_bytes = bytes;
    seal(made);
    sent(number).turn = turn_++;
    due_ = now + kSilence;
}

// As long as a full packet, each beat like the first but for the checksum.
void PacketSender::say_hello(Datagram &made) {
    made = {};
    made.head = head(HELLO, terms_.link);
    auto *const beat = made.head.data();
    packet::put(beat, BYTES, terms_.full_bytes());
    packet::put(beat, TX_EPOCH, session_);
    terms_.write(beat);
    for (std::size_t at = 0; at < hello_.size(); at += kBeat) std::memcpy(hello_.data() + at, beat, kBeat);
    made.more = hello_.data() + kBeat;
    made.more_bytes = hello_.size() - kBeat;
    seal(made);
}

PacketReceiver::PacketReceiver(const Terms &terms, std::uint16_t number, std::function<std::uint8_t *()> place, std::function<void()> came)
    : terms_(terms), place_(std::move(place)), came_(std::move(came)), slots_(terms.slots), session_(number) {
    for (auto &slot : slots_) slot.data.reserve(terms.full_bytes());
}

void PacketReceiver::begin() {
    for (auto &slot : slots_) slot.has = false;
    peer_.reset();
    candidate_.reset();
    ++session_;
    expected_ = freed_ = newest_ = told_ = ahead_ = frames_ = 0;
    turn_ = 0;
    answers_ = {};
    news_.reset();
    failure_.clear();
}

bool PacketReceiver::fits(const std::uint8_t *data, std::size_t bytes) const {
    const auto kind = number(data, KIND);
    // A sender with other terms may have other packets; one with these must show that full ones pass.
    if (kind == HELLO) return bytes % kBeat == 0 && (bytes == terms_.packet_beats * kBeat || terms_.differences(data));
    if (number(data, LINK) != terms_.link) return false;
    if (kind == PROBE) return bytes == kBeat;
    const auto wanted = number(data, EOF_) ? terms_.bytes_of(terms_.pieces() - 1) : terms_.full_bytes();
    return kind == DATA && bytes - HEADER_BYTES == wanted && number(data, BYTES) == wanted;
}

void PacketReceiver::take(std::uint8_t *data, std::size_t bytes, PacketTime now) {
    if (!failure_.empty() || bytes < kBeat / 2 || !opened(data, bytes)) return;
    const auto kind = number(data, KIND);
    if (kind == HELLO && bytes < kBeat) return;
    if (!fits(data, bytes)) return;
    hand_on(now);
    if (kind == HELLO) return greet(data);
    const auto theirs = static_cast<std::uint16_t>(number(data, TX_EPOCH)), ours = static_cast<std::uint16_t>(number(data, RX_EPOCH));
    if (candidate_ && theirs == *candidate_ && ours == static_cast<std::uint16_t>(session_ + 1)) {
        if (freed_ != expected_) return;
        enter(number(data, TURN));
        if (!failure_.empty()) return;
    }
    if (!peer_ || theirs != *peer_ || ours != session_) {
        auto &beat = answer(kRestart, RESTART);
        packet::put(beat.data(), TX_EPOCH, theirs);
        packet::put(beat.data(), RX_EPOCH, ours);
        return;
    }
    if (after(number(data, TURN), turn_) > 0) turn_ = number(data, TURN);
    if (kind == PROBE) acknowledge(number(data, SEQ) != low(expected_));
    else put(data, bytes, now);
}

void PacketReceiver::greet(const std::uint8_t *data) {
    const auto differ = terms_.differences(data);
    if (differ) {
        auto &beat = answer(kRefuse, REFUSE);
        beat[VERSION.bit / 8] = 0;
        packet::put(beat.data(), VERSION, get(data, VERSION));  // one that it takes
        packet::put(beat.data(), SEQ, differ);
        packet::put(beat.data(), TX_EPOCH, number(data, TX_EPOCH));
        terms_.write(beat.data());
        failure_ = "the card has another " + named(differ) + "; load what was generated together";
    } else if (freed_ == expected_) {
        candidate_ = static_cast<std::uint16_t>(number(data, TX_EPOCH));
        auto &beat = answer(kWelcome, WELCOME);
        packet::put(beat.data(), TX_EPOCH, *candidate_);
        packet::put(beat.data(), RX_EPOCH, static_cast<std::uint16_t>(session_ + 1));
        packet::put(beat.data(), FRAME, terms_.slots);
    }
}

// The session that was offered; a frame of the one before must not be cut by it.
void PacketReceiver::enter(std::uint32_t turn) {
    if (expected_ % terms_.pieces()) {
        failure_ = "a part of frame " + std::to_string(frames_) + " is missing, since the card was reset";
        return;
    }
    for (auto &slot : slots_) slot.has = false;
    peer_ = *candidate_;
    candidate_.reset();
    ++session_;
    expected_ = freed_ = newest_ = told_ = ahead_ = 0;
    turn_ = turn;
    answers_ = {};
}

void PacketReceiver::put(const std::uint8_t *data, std::size_t bytes, PacketTime now) {
    const auto place = after(number(data, SEQ), low(expected_));
    if (place < 0) return;
    const auto at = expected_ + static_cast<std::uint64_t>(place);
    if (at - freed_ >= slots_.size() || slot(at).has) return;
    auto &kept = slot(at);
    kept.has = true;
    kept.sof = number(data, SOF), kept.eof = number(data, EOF_), kept.taint = number(data, TAINT);
    kept.frame = number(data, FRAME);
    kept.data.assign(data + HEADER_BYTES, data + bytes);
    ++ahead_;
    const bool gap = at > newest_;
    newest_ = std::max(newest_, at + 1);
    bool ends = false;
    while (expected_ - freed_ < slots_.size() && slot(expected_).has && accept(slot(expected_))) ends |= slot(expected_ - 1).eof;
    changed(now);
    hand_on(now);
    if (gap || ends) acknowledge(gap);
}

// The packet that is next in the order; false if it is none of its place in the frame.
bool PacketReceiver::accept(Slot &next) {
    const auto piece = expected_ % terms_.pieces();
    --ahead_;
    if (next.sof != (piece == 0) || next.eof != (piece + 1 == terms_.pieces())) {
        next.has = false;
        return false;
    }
    ++expected_;
    return true;
}

// Moves packets into frames, as long as there is room for these.
void PacketReceiver::hand_on(PacketTime now) {
    if (handing_) return;
    handing_ = true;
    while (failure_.empty() && freed_ < expected_) {
        auto *const buffer = place_();
        if (!buffer) break;
        auto &from = slot(freed_);
        std::memcpy(buffer + freed_ % terms_.pieces() * terms_.full_bytes(), from.data.data(), from.data.size());
        from.has = false;
        ++freed_;
        changed(now);
        if (!from.eof) continue;
        if (from.frame != low(frames_) || from.taint) {
            failure_ = from.taint ? "frame " + std::to_string(frames_) + " is made of one that a card has lost"
                                  : "frame " + std::to_string(from.frame) + " came instead of " + std::to_string(frames_);
            break;
        }
        ++frames_;
        came_();
    }
    handing_ = false;
}

void PacketReceiver::changed(PacketTime now) {
    if (!news_) news_ = now;
    if (expected_ + freed_ + ahead_ >= told_ + kAckEvery) acknowledge(false);
}

void PacketReceiver::acknowledge(bool nak) {
    news_.reset();
    told_ = expected_ + freed_ + ahead_;
    const auto &before = answers_[kAck];
    if (before && number(before->data(), SEQ) == low(expected_)) nak |= number(before->data(), NAK);
    auto &beat = answer(kAck, ACK);
    packet::put(beat.data(), NAK, nak);
    packet::put(beat.data(), SEQ, low(expected_));
    packet::put(beat.data(), FRAME, low(freed_ + slots_.size()));
    packet::put(beat.data(), TX_EPOCH, *peer_);
    packet::put(beat.data(), RX_EPOCH, session_);
    packet::put(beat.data(), TURN, turn_);
    for (auto k = expected_; ahead_ && k < freed_ + slots_.size(); ++k) {
        const auto place = k % slots_.size();
        if (slot(k).has) beat[HAVE.bit / 8 + place / 8] = static_cast<std::uint8_t>(beat[HAVE.bit / 8 + place / 8] | 1u << place % 8);
    }
}

// A newer answer of a kind takes the place of one that has not left.
Beat &PacketReceiver::answer(Answer kind, std::uint32_t number) {
    answers_[kind] = head(number, terms_.link);
    return *answers_[kind];
}

std::optional<PacketTime> PacketReceiver::due() const {
    if (!news_) return {};
    return *news_ + kNews;
}

bool PacketReceiver::next(PacketTime now, Datagram &made) {
    if (news_ && now - *news_ >= kNews && peer_) acknowledge(false);
    for (auto &one : answers_) {
        if (!one) continue;
        made = {};
        made.head = *one;
        one.reset();
        seal(made);
        return true;
    }
    return false;
}

}  // namespace shellgen
