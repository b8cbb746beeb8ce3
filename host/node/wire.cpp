// SPDX-License-Identifier: BSD-3-Clause
#include "wire.h"

#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>

#include "text.h"

namespace shellgen {
namespace {

constexpr int kDeadAfterMs = 5000;
constexpr std::size_t kPacedPiece = 16384;  // bytes that a medium passes on together
constexpr std::chrono::microseconds kNoWait{60};  // shorter than a timer is exact
constexpr std::size_t kMostQueued = 256;  // messages; a peer that reads none of them is cut off

// The first bytes of some buffers.
template <class Part>
std::vector<Part> first_of(const std::vector<Part> &parts, std::size_t bytes) {
    std::vector<Part> found;
    for (const auto &part : parts) {
        if (!bytes) break;
        found.push_back(asio::buffer(part, bytes));
        bytes -= found.back().size();
    }
    return found;
}

}  // namespace

std::vector<std::uint8_t> sealed(Header header, Type type, const std::uint8_t *body, std::size_t bytes) {
    header.type = static_cast<std::uint8_t>(type);
    header.bytes = static_cast<std::uint32_t>(bytes);
    header.crc = 0;
    std::vector<std::uint8_t> found(protocol::kHeaderBytes + bytes);
    header.write(found.data());
    if (bytes) std::memcpy(found.data() + protocol::kHeaderBytes, body, bytes);
    header.crc = crc32c(0, found.data(), found.size());
    header.write(found.data());
    return found;
}

std::vector<std::uint8_t> fault(Header header, Code code, const std::string &text) {
    protocol::Fault found;
    found.code = static_cast<std::uint32_t>(code);
    found.length = static_cast<std::uint32_t>(std::min(text.size(), found.text.size()));
    const auto shown = printable(text);
    std::copy_n(shown.begin(), found.length, found.text.begin());
    return sealed(header, found);
}

std::optional<std::uint32_t> body_bytes(std::uint8_t type) {
    switch (static_cast<Type>(type)) {
        case Type::HELLO: return protocol::Hello::kBytes;
        case Type::WELCOME: return protocol::Welcome::kBytes;
        case Type::ACK: return protocol::Ack::kBytes;
        case Type::FAULT: return protocol::Fault::kBytes;
        case Type::PING: return protocol::Ping::kBytes;
        case Type::EPOCH: return protocol::Epoch::kBytes;
        case Type::STORE: return protocol::Store::kBytes;
        case Type::PIECE: return protocol::Piece::kBytes;
        case Type::LOAD: return protocol::Load::kBytes;
        case Type::ORDER: return protocol::Order::kBytes;
        case Type::BYE: return 0;
        default: return std::nullopt;
    }
}

Wire::Wire(tcp::socket given) : socket(std::move(given)) {
    asio::error_code error;
    const auto end = socket.remote_endpoint(error);
    peer = error ? "a peer that is gone" : end.address().to_string() + ":" + std::to_string(end.port());
    set_options(socket);
}

void Wire::secure(asio::ssl::context &context, asio::ssl::stream_base::handshake_type side,
                  std::function<void(bool)> done) {
    tls_ = std::make_unique<asio::ssl::stream<tcp::socket &>>(socket, context);
    auto self = shared_from_this();
    tls_->async_handshake(side, [self, done](asio::error_code error) {
        if (!self->closed_) done(!error);
    });
}

void set_options(tcp::socket &socket) {
    asio::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    const int milliseconds = kDeadAfterMs;
    setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

std::uint64_t frames_of_a_call(std::uint32_t frame_bytes) {
    constexpr long kLeast = 192 << 10, kMost = 1 << 20;  // bytes
    constexpr std::uint64_t kMostFrames = 32;
    static const long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);  // 0 where the kernel does not tell (Cortex-A9)
    const auto bytes = static_cast<std::uint64_t>(std::clamp(cache / 2, kLeast, kMost));
    return std::clamp<std::uint64_t>(bytes / frame_bytes, 1, kMostFrames);
}

void Wire::pace(const Way *reads, const Way *writes) {
    if (reads && !reads->free()) reads_ = reads;
    if (writes && !writes->free()) writes_ = writes;
    if (reads_) read_timer_ = std::make_unique<asio::steady_timer>(socket.get_executor());
    if (writes_) write_timer_ = std::make_unique<asio::steady_timer>(socket.get_executor());
}

void Wire::wait(asio::steady_timer &timer, Medium::Clock::time_point due, std::function<void()> then) {
    if (due - Medium::Clock::now() < kNoWait) return then();
    timer.expires_at(due);
    timer.async_wait([self = shared_from_this(), then](asio::error_code error) {
        if (!error && !self->closed_) then();
    });
}

void Wire::read_paced(std::vector<asio::mutable_buffer> places, Done done) {
    read_now(first_of(places, kPacedPiece), [self = shared_from_this(), done](asio::error_code error, std::size_t bytes) {
        if (error || self->closed_) return done(error, bytes);
        self->wait(*self->read_timer_, self->reads_->pass(bytes), [done, bytes] { done({}, bytes); });
    });
}

void Wire::write_paced(std::vector<asio::const_buffer> parts, std::size_t before, Done done) {
    const auto piece = first_of(parts, kPacedPiece);
    const auto bytes = asio::buffer_size(piece);
    if (!bytes) return done({}, before);
    auto go = [self = shared_from_this(), parts, piece, bytes, before, done] {
        self->write_all(piece, [self, parts, bytes, before, done](asio::error_code error, std::size_t) {
            if (error || self->closed_) return done(error, before);
            auto left = parts;
            auto skip = bytes;
            for (auto &part : left) {
                const auto here = std::min(skip, part.size());
                part += here;
                skip -= here;
            }
            self->write_paced(left, before + bytes, done);
        });
    };
    wait(*write_timer_, writes_->pass(bytes), go);
}

void Wire::read(std::function<void(const Message &)> good, std::function<void(Code, const std::string &)> bad) {
    auto self = shared_from_this();
    read_all(asio::buffer(head_), [self, good, bad](asio::error_code error, std::size_t) {
        if (self->closed_) return;
        if (error) return bad(Code::MALFORMED, "");
        const auto header = Header::read(self->head_.data());
        if (header.magic != protocol::kMagic) return bad(Code::MALFORMED, "this is not the protocol of shellgen");
        if (header.version != protocol::kVersion && header.type != static_cast<std::uint8_t>(Type::HELLO))
            return bad(Code::VERSION, "version is " + std::to_string(header.version) + "; this node speaks version " +
                                          std::to_string(protocol::kVersion));
        if (body_bytes(header.type) != header.bytes)
            return bad(Code::MALFORMED, "a message of type " + std::to_string(header.type) + " with " +
                                            std::to_string(header.bytes) + " bytes is not permitted here");
        self->body(header, good, bad);
    });
}

void Wire::body(const Header &header, std::function<void(const Message &)> good,
                std::function<void(Code, const std::string &)> bad) {
    auto self = shared_from_this();
    message_.header = header;
    auto whole = [self, good, bad](asio::error_code error, std::size_t) {
        if (self->closed_) return;
        if (error) return bad(Code::MALFORMED, "");
        auto copy = self->message_.header;
        copy.crc = 0;
        copy.write(self->head_.data());
        auto crc = crc32c(0, self->head_.data(), self->head_.size());
        crc = crc32c(crc, self->message_.body.data(), self->message_.header.bytes);
        if (crc != self->message_.header.crc) return bad(Code::CHECKSUM, "the checksum of a message is wrong");
        good(self->message_);
    };
    if (header.bytes) read_all(asio::buffer(message_.body.data(), header.bytes), whole);
    else whole({}, 0);
}

void Wire::write(std::vector<std::uint8_t> bytes) {
    if (closed_ || ends_) return;
    if (queue_.size() >= kMostQueued) return hang_up();
    queue_.push_back(std::move(bytes));
    if (!writing_) next();
}

void Wire::end(std::vector<std::uint8_t> bytes) {
    write(std::move(bytes));
    ends_ = true;
    if (queue_.empty()) close();
}

void Wire::next() {
    writing_ = true;
    auto self = shared_from_this();
    write_all(asio::buffer(queue_.front()), [self](asio::error_code error, std::size_t) {
        self->writing_ = false;
        if (self->closed_) return;
        if (error) return self->ends_ ? self->close() : self->hang_up();
        self->queue_.pop_front();
        if (!self->queue_.empty()) return self->next();
        if (self->ends_) self->close();
    });
}

void Wire::hang_up() {
    asio::error_code ignored;
    socket.shutdown(tcp::socket::shutdown_both, ignored);
}

void Wire::close() {
    if (closed_) return;
    closed_ = true;
    asio::error_code ignored;
    socket.shutdown(tcp::socket::shutdown_both, ignored);
    socket.close(ignored);
}

}  // namespace shellgen
