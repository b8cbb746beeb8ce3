// SPDX-License-Identifier: BSD-3-Clause
// Frames between two programs by TCP, one connection for each stream; shellgen_link.py has the same. Frames follow the
// lines of shellgen_hello.hpp without gaps. Nothing is encrypted: use it in a network of your own. C++17.
#ifndef SHELLGEN_SOCKET_HPP
#define SHELLGEN_SOCKET_HPP

#include "shellgen_hello.hpp"
#include "shellgen_run.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace {

constexpr size_t CHUNK = 1 << 18;
constexpr size_t AHEAD = 1 << 22; // bytes that are taken before the core wants them
constexpr double RETRY = 0.2;     // seconds until the next attempt to connect
constexpr double FINISH = 60.0;   // seconds for what is left at the end

struct Address {
    std::string host, port;

    std::string shown() const { return host + ":" + port; }
};

// Read `HOST:PORT`, or `PORT` where a host is given.
bool read_address(const std::string &text, const char *host, Address &found, shellgen_error &error)
{
    const size_t colon = text.rfind(':');
    const bool has = colon != std::string::npos;
    const std::string name = has ? text.substr(0, colon) : "", port = has ? text.substr(colon + 1) : text;
    const bool digits = !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos;
    if ((name.empty() && (has || !host)) || !digits || std::stoul(port) >= 1ul << 16) {
        shellgen_fail(&error, "%s: give it as HOST:PORT", printable(text).c_str());
        return false;
    }
    const size_t first = name.find_first_not_of("[]"), last = name.find_last_not_of("[]");
    found.host = first == std::string::npos ? (host ? host : "") : name.substr(first, last - first + 1);
    found.port = std::to_string(std::stoul(port));
    return true;
}

// A socket that is closed at the end.
class Socket {
public:
    explicit Socket(int number = -1) : number_(number) {}
    Socket(Socket &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Socket &operator=(Socket &&other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Socket()
    {
        if (number_ >= 0)
            close(number_);
    }
    int number() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }

private:
    int number_;
};

// Look up an address for all who would connect there or listen there; what went wrong if the list is empty.
using Found = std::unique_ptr<addrinfo, void (*)(addrinfo *)>;

Found look_up(const Address &address, std::string &why)
{
    addrinfo hints = {}, *list = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    const int result = getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &list);
    if (result)
        why = result == EAI_SYSTEM ? strerror(errno) : gai_strerror(result);
    return Found(result ? nullptr : list, freeaddrinfo);
}

// Wait until a socket can be read or written, or until the time: whether it can.
bool wait_for(int number, short events, double end)
{
    pollfd asked = {number, events, 0};
    const double left = std::max(0.0, end - shellgen_now());
    return poll(&asked, 1, static_cast<int>(std::min(left, 1e6) * 1e3) + 1) > 0;
}

bool would_block()
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

// Try each address once; what went wrong with the last if none answers.
Socket try_to_connect(const Address &address, double end, std::string &why)
{
    const Found list = look_up(address, why);
    for (const addrinfo *at = list.get(); at; at = at->ai_next) {
        Socket made(socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        int state = 0;
        socklen_t size = sizeof state;
        if (made && connect(made.number(), at->ai_addr, at->ai_addrlen) == 0)
            return made;
        if (!made || errno != EINPROGRESS) {
            why = strerror(errno);
        } else if (!wait_for(made.number(), POLLOUT, end)) {
            why = "timed out";
        } else {
            getsockopt(made.number(), SOL_SOCKET, SO_ERROR, &state, &size);
            if (!state)
                return made;
            why = strerror(state);
        }
    }
    return Socket();
}

// Send all of a text until the time: 1, 0 if the time is over, -1 if the other end has gone.
int send_all(int number, const uint8_t *data, size_t size, double end)
{
    while (size) {
        const ssize_t sent = send(number, data, std::min(size, CHUNK), MSG_NOSIGNAL);
        if (sent > 0) {
            data += sent;
            size -= static_cast<size_t>(sent);
        } else if (!would_block()) {
            return -1;
        } else if (shellgen_now() > end) {
            return 0;
        } else {
            wait_for(number, POLLOUT, end);
        }
    }
    return 1;
}

// Read the answer to a hello: 1 with its text, 0 if the time is over, -1 if it is none.
int read_answer(int number, double end, std::string &text)
{
    std::string line;
    while (line.empty() || line.back() != '\n') {
        char byte = 0;
        const ssize_t got = recv(number, &byte, 1, 0);
        if (got == 0 || line.size() == LINE || (got < 0 && !would_block()))
            return -1;
        if (got > 0)
            line += byte;
        if (shellgen_now() > end)
            return 0;
        if (got < 0)
            wait_for(number, POLLIN, end);
    }
    try {
        if (!is_utf8(line))
            return -1;
        text = Json(line).string();
    } catch (const NoHello &) {
        return -1;
    }
    return 1;
}

// Return a connection on which frames may follow; the other board need not listen yet.
Socket connect_to(const Address &address, const shellgen_stream &stream, uint64_t frames, double seconds,
                  shellgen_error &error)
{
    const std::string name = printable(address.shown()), hello = make_hello(stream, frames);
    const double end = shellgen_now() + seconds;
    std::string why, refusal;
    Socket made;
    while (!(made = try_to_connect(address, end, why))) {
        if (shellgen_now() + RETRY > end) {
            shellgen_fail(&error, "%s: %s; is its runner waiting with --listen?", name.c_str(), why.c_str());
            return Socket();
        }
        usleep(static_cast<useconds_t>(RETRY * 1e6));
    }
    const int one = 1;
    setsockopt(made.number(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    int result = send_all(made.number(), reinterpret_cast<const uint8_t *>(hello.data()), hello.size(), end);
    if (result > 0)
        result = read_answer(made.number(), end, refusal);
    if (result > 0 && refusal.empty())
        return made;
    if (result > 0)
        shellgen_fail(&error, "%s refused: %s", name.c_str(), printable(refusal).c_str());
    else if (result == 0)
        shellgen_fail(&error, "%s: it has not answered in time; give --wait more", name.c_str());
    else
        shellgen_fail(&error, "%s: it closed the connection, or is no runner of shellgen", name.c_str());
    return Socket();
}

// Frames of one stream from another board.
class SocketSource {
public:
    SocketSource(Socket peer, std::string name, const shellgen_stream &stream, uint64_t frames)
        : peer_(std::move(peer)), name_(std::move(name)), stream_(stream), left_(frames * stream.frame_bytes)
    {
        end_.context = this;
        end_.frames = frames;
        end_.step = [](void *self, shellgen_error *error) { return static_cast<SocketSource *>(self)->step(*error); };
        end_.ready = [](void *self, uint32_t count) { return static_cast<SocketSource *>(self)->ready(count) ? 1 : 0; };
        end_.pass = [](void *self, uint8_t *data, uint32_t count, uint32_t room) {
            static_cast<SocketSource *>(self)->take(data, count, room);
        };
    }
    SocketSource(const SocketSource &) = delete;
    SocketSource &operator=(const SocketSource &) = delete;

    const shellgen_end &end() const { return end_; }
    const std::string &name() const { return name_; }

    // The other end has gone before it has sent anything, as far as it can be seen now.
    bool lost() const
    {
        char byte = 0;
        const ssize_t got = recv(peer_.number(), &byte, 1, MSG_PEEK);
        return got == 0 || (got < 0 && !would_block());
    }

private:
    int step(shellgen_error &error)
    {
        int moved = 0;
        while (left_ && data_.size() - taken_ < std::max(wanted_, AHEAD)) {
            const size_t old = data_.size(), most = static_cast<size_t>(std::min<uint64_t>(CHUNK, left_));
            data_.resize(old + most);
            const ssize_t got = recv(peer_.number(), data_.data() + old, most, 0);
            data_.resize(old + (got > 0 ? static_cast<size_t>(got) : 0));
            if (got == 0)
                return shellgen_fail(&error, "%s: it ended %" PRIu64 " bytes before the end of %s", name_.c_str(), left_,
                                     stream_.name);
            if (got < 0 && would_block())
                break;
            if (got < 0)
                return shellgen_fail(&error, "%s: %s, while %s came", name_.c_str(), strerror(errno), stream_.name);
            left_ -= static_cast<uint64_t>(got);
            moved = 1;
        }
        return moved;
    }

    bool ready(uint32_t count)
    {
        wanted_ = size_t{count} * stream_.frame_bytes;
        return data_.size() - taken_ >= wanted_;
    }

    void take(uint8_t *to, uint32_t count, uint32_t room)
    {
        for (uint32_t frame = 0; frame < count; frame++, taken_ += stream_.frame_bytes)
            memcpy(to + size_t{frame} * room, data_.data() + taken_, stream_.frame_bytes);
        data_.erase(data_.begin(), data_.begin() + static_cast<ptrdiff_t>(taken_));
        taken_ = 0;
    }

    Socket peer_;
    const std::string name_;
    const shellgen_stream &stream_;
    uint64_t left_; // bytes that have not come
    std::vector<uint8_t> data_;
    size_t taken_ = 0, wanted_ = 0;
    shellgen_end end_ = {};
};

// Frames of one stream to another board.
class SocketSink {
public:
    SocketSink(Socket peer, std::string name, const shellgen_stream &stream)
        : peer_(std::move(peer)), name_(std::move(name)), stream_(stream)
    {
        end_.context = this;
        end_.step = [](void *self, shellgen_error *error) { return static_cast<SocketSink *>(self)->step(*error); };
        end_.ready = [](void *self, uint32_t) { return static_cast<SocketSink *>(self)->data_.empty() ? 1 : 0; };
        end_.pass = [](void *self, uint8_t *data, uint32_t count, uint32_t room) {
            static_cast<SocketSink *>(self)->put(data, count, room);
        };
    }
    SocketSink(const SocketSink &) = delete;
    SocketSink &operator=(const SocketSink &) = delete;

    const shellgen_end &end() const { return end_; }

    // Send what is left.
    int finish(shellgen_error &error)
    {
        const int result = send_all(peer_.number(), data_.data() + sent_, data_.size() - sent_, shellgen_now() + FINISH);
        return result > 0 ? 0 : fail(result ? strerror(errno) : "timed out", error);
    }

private:
    int fail(const char *why, shellgen_error &error) const
    {
        return shellgen_fail(&error, "%s: %s; look what it says there", name_.c_str(), why);
    }

    int step(shellgen_error &error)
    {
        int moved = 0;
        while (sent_ < data_.size()) {
            const ssize_t sent = send(peer_.number(), data_.data() + sent_, std::min(data_.size() - sent_, CHUNK), MSG_NOSIGNAL);
            if (sent < 0 && would_block())
                return moved;
            if (sent < 0)
                return fail(strerror(errno), error);
            sent_ += static_cast<size_t>(sent);
            moved = 1;
        }
        data_.clear();
        sent_ = 0;
        return moved;
    }

    void put(const uint8_t *from, uint32_t count, uint32_t room)
    {
        for (uint32_t frame = 0; frame < count; frame++)
            data_.insert(data_.end(), from + size_t{frame} * room, from + size_t{frame} * room + stream_.frame_bytes);
    }

    Socket peer_;
    const std::string name_;
    const shellgen_stream &stream_;
    std::vector<uint8_t> data_;
    size_t sent_ = 0;
    shellgen_end end_ = {};
};

} // namespace

#endif
