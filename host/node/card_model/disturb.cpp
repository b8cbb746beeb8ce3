// SPDX-License-Identifier: BSD-3-Clause
#include "disturb.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <stdexcept>

namespace card_model {
namespace {

constexpr std::uint16_t kOrders = 2055;  // UDP port
constexpr unsigned kOvertake = 5;        // packets: more than a receiver of a link waits for
constexpr std::chrono::milliseconds kLate{50};

// docs/vnx.md, Packet: bytes 8 and 9 name the boundary, and the kind in byte 3 is 0 for data.
bool belongs(const Packet &packet, std::uint16_t link) {
    return packet.size() > 10 && packet[0] == 0x53 && packet[1] == 0x47 && (packet[8] | packet[9] << 8) == link;
}

bool has_data(const Packet &packet) { return !(packet[3] & 15); }

}  // namespace

Disturb::Disturb(const std::string &address) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(kOrders);
    socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket_ < 0 || inet_pton(AF_INET, address.c_str(), &at.sin_addr) != 1 ||
        bind(socket_, reinterpret_cast<const sockaddr *>(&at), sizeof at))
        throw std::runtime_error("failed to load the card: no address " + address + " for orders");
}

Disturb::~Disturb() { close(socket_); }

void Disturb::poll() {
    take();
    if (!begun_ || Clock::now() < end_) return;
    release();
    end();
}

void Disturb::take() {
    std::array<char, 100> text{};
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const auto got = recvfrom(socket_, text.data(), text.size() - 1, MSG_DONTWAIT, reinterpret_cast<sockaddr *>(&from), &size);
    if (got < 0) return;
    std::istringstream words(text.data());
    std::uint64_t number = 0;
    std::string kind;
    unsigned link = 0, time = 0;
    words >> number >> kind >> link >> time;
    from_ = from;
    if (number != number_) {  // otherwise it asks again
        release();
        number_ = number;
        done_ = begun_ = false;
        kind_ = kind == "cut" ? Kind::Cut : kind == "delay" ? Kind::Delay : kind == "reorder" ? Kind::Reorder : Kind::Corrupt;
        link_ = static_cast<std::uint16_t>(link);
        time_ = std::chrono::milliseconds{time};
    }
    answer(done_ ? "done" : "armed");
}

void Disturb::answer(const char *what) {
    const auto text = std::to_string(number_) + " " + what;
    sendto(socket_, text.data(), text.size(), MSG_DONTWAIT, reinterpret_cast<const sockaddr *>(&from_), sizeof from_);
}

void Disturb::release() {
    while (!held_.empty()) {
        const auto [packet, go] = std::move(held_.front());
        held_.pop_front();
        go(packet);
    }
}

void Disturb::end() {
    kind_ = Kind::None;
    begun_ = false;
    done_ = true;
    answer("done");
}

void Disturb::pass(const Packet &packet, const Go &go) {
    if (kind_ == Kind::None || !belongs(packet, link_) || (!begun_ && !has_data(packet))) return go(packet);
    if (!begun_) end_ = Clock::now() + (kind_ == Kind::Reorder ? kLate : time_);
    const bool first = !begun_;
    begun_ = true;
    if (kind_ == Kind::Cut) return;
    if (kind_ == Kind::Corrupt) {
        auto altered = packet;
        altered[altered.size() / 2] ^= 1;
        go(altered);
        return end();
    }
    if (kind_ == Kind::Delay || first) {
        behind_ = 0;
        held_.emplace_back(packet, go);
        return;
    }
    go(packet);
    if (++behind_ < kOvertake) return;
    release();
    end();
}

}  // namespace card_model
