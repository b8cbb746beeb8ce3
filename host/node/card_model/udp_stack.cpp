// SPDX-License-Identifier: BSD-3-Clause
#include "udp_stack.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace card_model {
namespace {

// networklayer
constexpr std::uint32_t kMacLow = 0x10, kMacHigh = 0x14, kIp = 0x18, kGateway = 0x1c, kMask = 0x20, kId = 0x7c, kSockets = 0x810;
constexpr std::uint32_t kTable = 0x820, kDiscovery = 0x1010, kArpValid = 0x1100, kArpIp = 0x1400, kArpMac = 0x1800;
constexpr std::uint32_t kIdentity = 0x5e771465;
enum : unsigned { kTheirIp, kTheirPort, kMyPort, kValid };  // arrays of the socket table
// cmac
constexpr std::uint32_t kReset = 0x4, kRxStatus = 0x204, kUp = 3, kDown = 0x40;

constexpr std::size_t kMostBeats = 256;    // of a packet of the core; a longer one never leaves
constexpr std::size_t kMostBytes = 9554;   // of UDP in the longest frame that the MAC lets pass
constexpr std::size_t kBuffered = 256;     // beats to the core, before more is taken from the network
constexpr std::uint16_t kResolution = 2054;  // UDP port here of what is ARP in Ethernet (its EtherType)
constexpr std::chrono::milliseconds kAgain{1};

}  // namespace

// What stands for a frame of ARP.
struct UdpStack::Resolution {
    std::uint8_t answer = 0;
    std::uint8_t mac[6] = {};
    std::uint8_t unused = 0;
    std::uint32_t ip = 0, about = 0;
};

UdpStack::UdpStack(std::string network, unsigned rows, unsigned loss, shellgen::StreamPins out, std::uint8_t *out_dest,
                   shellgen::StreamPins in, std::uint8_t *in_dest, Disturb *disturb)
    : network_(std::move(network)), rows_(rows), loss_(loss), out_(out), in_(in), out_dest_(out_dest), in_dest_(in_dest), disturb_(disturb), layer_(kWindow),
      stale_(kUp) {
    if (!rows || rows > 63 || out.bytes != kBeat || in.bytes != kBeat) throw std::runtime_error("failed to load the card: no such port");
    // All cards wake up with one address.
    set_word(kMacLow, 0x35029de5);
    set_word(kMacHigh, 0x000a);
    set_word(kIp, 0xc0a80005);
    set_word(kGateway, 0xc0a80001);
    set_word(kMask, 0xffffff00);
    set_word(kId, kIdentity);
    set_word(kSockets, rows_);
    shellgen::set_pin(out_.ready, 1);
}

UdpStack::~UdpStack() { close_all(); }

std::uint32_t UdpStack::word(std::uint32_t offset) const {
    std::uint32_t found = 0;
    std::memcpy(&found, layer_.data() + offset, 4);
    return found;
}

void UdpStack::set_word(std::uint32_t offset, std::uint32_t value) { std::memcpy(layer_.data() + offset, &value, 4); }

std::uint32_t UdpStack::row_word(unsigned array, unsigned row) const { return word(kTable + 8 * (array * rows_ + row)); }

std::uint32_t UdpStack::layer(bool writes, std::uint32_t offset, std::uint32_t value) {
    if (offset % 4 || offset >= kWindow) throw std::runtime_error("no register at " + std::to_string(offset));
    if (!writes) return word(offset);
    if (offset == kId || offset == kSockets) return 0;
    if (offset == kDiscovery && value & ~word(kDiscovery) & 1) discover();
    const bool row = offset >= kTable && offset < kTable + 32 * rows_;
    changed_ |= word(offset) != value && (row || offset == kIp);
    set_word(offset, value);
    return 0;
}

bool UdpStack::link() const {
    const auto found = mac_.find(kReset);
    return found == mac_.end() || !found->second;
}

// The first status that is read is that of the time before.
std::uint32_t UdpStack::mac(bool writes, std::uint32_t offset, std::uint32_t value) {
    if (offset % 4 || offset >= kWindow) throw std::runtime_error("no register at " + std::to_string(offset));
    if (writes) {
        mac_[offset] = value;
        return 0;
    }
    if (offset != kRxStatus) return mac_[offset];
    const auto found = stale_;
    stale_ = link() ? kUp : kDown;
    return found;
}

bool UdpStack::lost() {
    chance_ = chance_ * 1664525u + 1013904223u;
    return !link() || chance_ >> 16 < loss_;
}

int UdpStack::bound(std::uint32_t ip, std::uint16_t port) const {
    const int found = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (found < 0) return -1;
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    inet_pton(AF_INET, (network_ + "." + std::to_string(ip & 0xff)).c_str(), &at.sin_addr);
    if (!bind(found, reinterpret_cast<const sockaddr *>(&at), sizeof at)) return found;
    close(found);
    return -1;
}

void UdpStack::close_all() {
    for (const auto &[port, one] : sockets_) close(one);
    sockets_.clear();
    if (resolver_ >= 0) close(resolver_);
    resolver_ = -1;
}

// A row receives whether it is valid or not. Somebody may have the address still, such as a card that woke up with it.
void UdpStack::bind_all() {
    if (!changed_ || Clock::now() < again_) return;
    again_ = Clock::now() + kAgain;
    const auto ip = word(kIp);
    std::set<std::uint16_t> wanted;
    for (unsigned row = 0; row < rows_; ++row)
        if (const auto port = static_cast<std::uint16_t>(row_word(kMyPort, row))) wanted.insert(port);
    if (ip != bound_ip_) close_all();
    bound_ip_ = ip;
    for (auto one = sockets_.begin(); one != sockets_.end();) {
        if (wanted.count(one->first)) {
            ++one;
            continue;
        }
        close(one->second);
        one = sockets_.erase(one);
    }
    bool all = true;
    for (const auto port : wanted) {
        if (sockets_.count(port)) continue;
        const int made = bound(ip, port);
        if (made >= 0) sockets_[port] = made;
        all &= made >= 0;
    }
    if (resolver_ < 0) resolver_ = bound(ip, kResolution);
    changed_ = !all || resolver_ < 0;
}

void UdpStack::resolve(const Resolution &message, std::uint32_t ip) {
    if (resolver_ < 0 || !link()) return;
    if (boards_.count(ip & 0xff)) {
        const std::uint8_t mac[6] = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(ip)};
        return learn(ip, mac);
    }
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(kResolution);
    inet_pton(AF_INET, (network_ + "." + std::to_string(ip & 0xff)).c_str(), &to.sin_addr);
    sendto(resolver_, &message, sizeof message, MSG_DONTWAIT, reinterpret_cast<const sockaddr *>(&to), sizeof to);
}

// Asks for all addresses that the table does not have.
void UdpStack::discover() {
    bind_all();
    const auto ip = word(kIp);
    for (std::uint32_t last = 1; last < 255; ++last) {
        const auto about = (ip & 0xffffff00) | last;
        if (about == ip || layer_[kArpValid + last]) continue;
        Resolution message;
        message.ip = ip, message.about = about;
        resolve(message, about);
    }
}

// Requests are answered, and nothing is learnt from them.
void UdpStack::hear() {
    Resolution message;
    while (resolver_ >= 0 && recv(resolver_, &message, sizeof message, MSG_DONTWAIT) == sizeof message) {
        const auto ip = word(kIp);
        if (message.about != ip || !link()) continue;
        if (!message.answer) {
            Resolution own;
            own.answer = 1, own.ip = ip, own.about = message.ip;
            const auto high = word(kMacHigh), low = word(kMacLow);
            for (unsigned k = 0; k < 6; ++k)
                own.mac[k] = static_cast<std::uint8_t>(k < 2 ? high >> (8 - 8 * k) : low >> (40 - 8 * k));
            resolve(own, message.ip);
            continue;
        }
        learn(message.ip, message.mac);
    }
}

void UdpStack::learn(std::uint32_t ip, const std::uint8_t *mac) {
    const auto last = ip & 0xff;
    layer_[kArpValid + last] = 1;
    set_word(kArpIp + 4 * last, htonl(ip));
    std::memset(layer_.data() + kArpMac + 8 * last, 0, 8);
    std::memcpy(layer_.data() + kArpMac + 8 * last, mac, 6);
}

void UdpStack::poll() {
    bind_all();
    hear();
    std::array<std::uint8_t, kMostBytes> data;
    for (const auto &[port, socket] : sockets_) {
        while (beats_.size() < kBuffered) {
            sockaddr_in from{};
            socklen_t size = sizeof from;
            const auto got = recvfrom(socket, data.data(), data.size(), MSG_DONTWAIT, reinterpret_cast<sockaddr *>(&from), &size);
            if (got < 0) break;
            const auto last = ntohl(from.sin_addr.s_addr) & 0xff;
            for (unsigned row = 0; row < rows_; ++row) {
                const bool same = (row_word(kTheirIp, row) & 0xff) == last && row_word(kTheirPort, row) == ntohs(from.sin_port);
                if (!same || row_word(kMyPort, row) != port) continue;
                const auto bytes = static_cast<std::size_t>(got);
                if (disturb_)
                    disturb_->pass({data.data(), data.data() + bytes}, [this, row](const Packet &one) { deliver(one.data(), one.size(), row); });
                else deliver(data.data(), bytes, row);
                break;
            }
        }
    }
}

void UdpStack::deliver(const std::uint8_t *data, std::size_t bytes, unsigned row) {
    if (!link()) return;
    for (std::size_t at = 0; at < bytes; at += kBeat) {
        Beat beat;
        const auto part = std::min(kBeat, bytes - at);
        std::memcpy(beat.data.data(), data + at, part);
        beat.keep = part == kBeat ? ~std::uint64_t{0} : (std::uint64_t{1} << part) - 1;
        beat.last = at + kBeat >= bytes;
        beat.row = static_cast<std::uint16_t>(row);
        beats_.push_back(beat);
    }
}

// The next hop is the gateway unless the far address lies in the gateway's subnet; what ARP does not know is asked for instead.
void UdpStack::send() {
    const auto row = packet_row_;
    if (row >= rows_ || !(row_word(kValid, row) & 1) || packet_.size() > kMostBytes || lost()) return;
    const auto their = row_word(kTheirIp, row), gateway = word(kGateway);
    const auto hop = (their ^ gateway) & word(kMask) ? gateway : their;
    if (!layer_[kArpValid + (hop & 0xff)]) {
        Resolution message;
        message.ip = word(kIp), message.about = hop;
        return resolve(message, hop);
    }
    if (disturb_) disturb_->pass(packet_, [this, row](const Packet &one) { put(one, row); });
    else put(packet_, row);
}

// On the wire.
void UdpStack::put(const Packet &packet, unsigned row) {
    const auto found = sockets_.find(static_cast<std::uint16_t>(row_word(kMyPort, row)));
    if (found == sockets_.end()) return;
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(row_word(kTheirPort, row)));
    inet_pton(AF_INET, (network_ + "." + std::to_string(row_word(kTheirIp, row) & 0xff)).c_str(), &to.sin_addr);
    sendto(found->second, packet.data(), packet.size(), MSG_DONTWAIT, reinterpret_cast<const sockaddr *>(&to), sizeof to);
}

void UdpStack::offer() {
    offers_ = !beats_.empty();
    shellgen::set_pin(in_.valid, offers_);
    if (!offers_) return;
    const auto &beat = beats_.front();
    std::memcpy(in_.data, beat.data.data(), kBeat);
    std::memcpy(in_.keep, &beat.keep, sizeof beat.keep);
    shellgen::set_pin(in_.last, beat.last);
    shellgen::set_pin(in_dest_, beat.row, 2);
}

bool UdpStack::move() {
    bool moved = false;
    if (offers_ && *in_.ready & 1) {
        beats_.pop_front();
        moved = true;
    }
    if (!(*out_.valid & 1)) return moved;
    if (!begun_) {  // TDEST counts with the first beat only
        packet_.clear();
        std::uint16_t row = 0;
        std::memcpy(&row, out_dest_, 2);
        packet_row_ = row;
    }
    std::uint64_t keep = 0;
    std::memcpy(&keep, out_.keep, sizeof keep);
    std::size_t bytes = 0;
    while (bytes < kBeat && keep >> bytes & 1) ++bytes;
    if (packet_.size() < kMostBeats * kBeat) packet_.insert(packet_.end(), out_.data, out_.data + bytes);
    begun_ = !(*out_.last & 1);
    if (!begun_) send();
    return true;
}

}  // namespace card_model
