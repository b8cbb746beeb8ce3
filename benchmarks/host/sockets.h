// SPDX-License-Identifier: BSD-3-Clause
// Blocking sockets on loopback, and times.
#pragma once

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace bench {

using Clock = std::chrono::steady_clock;

[[noreturn]] inline void fail(const char *what) {
    std::perror(what);
    std::exit(1);
}

inline double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// CPU seconds of this process.
inline double cpu_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto of = [](const timeval &value) { return static_cast<double>(value.tv_sec) + 1e-6 * static_cast<double>(value.tv_usec); };
    return of(used.ru_utime) + of(used.ru_stime);
}

inline sockaddr_in loopback(int port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return at;
}

inline int prompt(int fd) {
    const int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

inline int listening(int &port) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    auto at = loopback(0);
    socklen_t size = sizeof at;
    if (fd < 0 || bind(fd, reinterpret_cast<sockaddr *>(&at), size) || listen(fd, 8) ||
        getsockname(fd, reinterpret_cast<sockaddr *>(&at), &size))
        fail("listen");
    port = ntohs(at.sin_port);
    return fd;
}

inline int accepted(int from) {
    const int fd = accept(from, nullptr, nullptr);
    if (fd < 0) fail("accept");
    return prompt(fd);
}

inline int connected(int port) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const auto at = loopback(port);
    if (fd < 0 || connect(fd, reinterpret_cast<const sockaddr *>(&at), sizeof at)) fail("connect");
    return prompt(fd);
}

inline void write_all(int fd, iovec *parts, int count) {
    while (count) {
        auto sent = writev(fd, parts, count);
        if (sent < 0) fail("writev");
        while (count && static_cast<std::size_t>(sent) >= parts->iov_len) {
            sent -= static_cast<ssize_t>(parts->iov_len);
            ++parts, --count;
        }
        if (count) {
            parts->iov_base = static_cast<std::uint8_t *>(parts->iov_base) + sent;
            parts->iov_len -= static_cast<std::size_t>(sent);
        }
    }
}

// False at the end of the connection.
inline bool read_all(int fd, void *to, std::size_t bytes) {
    auto *at = static_cast<std::uint8_t *>(to);
    while (bytes) {
        const auto got = recv(fd, at, bytes, MSG_WAITALL);
        if (got <= 0) return false;
        at += got;
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

}  // namespace bench
