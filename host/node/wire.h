// SPDX-License-Identifier: BSD-3-Clause
// Messages on a socket: read one after the other, written in order.
#pragma once

#include <array>
#include <asio.hpp>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crc32c.h"
#include "medium.h"
#include "protocol.h"
#include "tls.h"

namespace shellgen {

using asio::ip::tcp;
using protocol::Code;
using protocol::Header;
using protocol::Type;

// A message without a frame.
struct Message {
    Header header;
    std::array<std::uint8_t, protocol::kMostBytes> body{};

    bool is(Type type) const { return header.type == static_cast<std::uint8_t>(type); }
    bool answers() const { return header.flags & static_cast<std::uint16_t>(protocol::Flag::ANSWER); }
    template <class T>
    T as() const {
        return T::read(body.data());
    }
};

// The bytes of a message. `header.bytes`, `type` and `crc` are filled in.
std::vector<std::uint8_t> sealed(Header header, Type type, const std::uint8_t *body = nullptr, std::size_t bytes = 0);

template <class T>
std::vector<std::uint8_t> sealed(Header header, const T &body) {
    std::uint8_t raw[T::kBytes];
    body.write(raw);
    return sealed(header, T::kType, raw, sizeof raw);
}

std::vector<std::uint8_t> fault(Header header, Code code, const std::string &text);

// Bytes that must follow the header of a message without a frame; none if there is no such type.
std::optional<std::uint32_t> body_bytes(std::uint8_t type);

// One connection. It lives as long as a handler refers to it.
class Wire : public std::enable_shared_from_this<Wire> {
public:
    explicit Wire(tcp::socket socket);
    // Encrypts from here on; `done` gets whether both sides have certificates of the cluster.
    void secure(asio::ssl::context &context, asio::ssl::stream_base::handshake_type side, std::function<void(bool)> done);
    bool secured() const { return static_cast<bool>(tls_); }
    // Whether the other side has the operator's certificate.
    bool controls() const { return tls_ && is_operator(tls_->native_handle()); }

    tcp::socket socket;
    std::string peer;  // address and port, for messages

    // Reads the next message without a frame. `bad` gets what is wrong with it; then the connection is closed.
    void read(std::function<void(const Message &)> good, std::function<void(Code, const std::string &)> bad);
    // Writes a message after those before it.
    void write(std::vector<std::uint8_t> bytes);
    // Writes it and closes the connection when it has gone.
    void end(std::vector<std::uint8_t> bytes);
    void close();
    // Lets the handler that reads see the end of the connection: it decides what follows.
    void hang_up();
    bool open() const { return !closed_; }

    // Holds frames to a pace from here on: those that are read, and those that are written.
    void pace(const Way *reads, const Way *writes);

    template <class Places, class Handler>
    void read_some(const Places &places, Handler &&handler) {
        if (reads_) read_paced({places.begin(), places.end()}, std::forward<Handler>(handler));
        else read_now(places, std::forward<Handler>(handler));
    }
    template <class Places, class Handler>
    void read_now(const Places &places, Handler &&handler) {
        if (tls_) tls_->async_read_some(places, std::forward<Handler>(handler));
        else socket.async_read_some(places, std::forward<Handler>(handler));
    }
    template <class Places, class Handler>
    void read_all(const Places &places, Handler &&handler) {
        if (tls_) asio::async_read(*tls_, places, std::forward<Handler>(handler));
        else asio::async_read(socket, places, std::forward<Handler>(handler));
    }
    template <class Parts, class Handler>
    void write_frames(const Parts &parts, Handler &&handler) {
        if (writes_) write_paced({parts.begin(), parts.end()}, 0, std::forward<Handler>(handler));
        else write_all(parts, std::forward<Handler>(handler));
    }
    // The default of asio cuts what is written into pieces of 64 KiB, each with a system call of its own.
    static std::size_t whole(const asio::error_code &error, std::size_t) { return error ? 0 : std::numeric_limits<std::size_t>::max(); }
    template <class Parts, class Handler>
    void write_all(const Parts &parts, Handler &&handler) {
        if (tls_) asio::async_write(*tls_, parts, std::forward<Handler>(handler));
        else asio::async_write(socket, parts, whole, std::forward<Handler>(handler));
    }

private:
    using Done = std::function<void(asio::error_code, std::size_t)>;

    void read_paced(std::vector<asio::mutable_buffer> places, Done done);
    void write_paced(std::vector<asio::const_buffer> parts, std::size_t before, Done done);
    void wait(asio::steady_timer &timer, Medium::Clock::time_point due, std::function<void()> then);
    void body(const Header &header, std::function<void(const Message &)> good,
              std::function<void(Code, const std::string &)> bad);
    void next();

    std::array<std::uint8_t, protocol::kHeaderBytes> head_{};
    Message message_;
    std::deque<std::vector<std::uint8_t>> queue_;
    std::unique_ptr<asio::ssl::stream<tcp::socket &>> tls_;
    bool writing_ = false, ends_ = false, closed_ = false;
    const Way *reads_ = nullptr, *writes_ = nullptr;
    std::unique_ptr<asio::steady_timer> read_timer_, write_timer_;
};

// What the kernel does for a connection: no delay of small messages, and an end to one that is dead.
void set_options(tcp::socket &socket);
// How many frames one system call moves: no more than stay in the cache of the processor until they are summed, and than
// it takes buffers for.
std::uint64_t frames_of_a_call(std::uint32_t frame_bytes);

}  // namespace shellgen
