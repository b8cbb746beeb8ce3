// SPDX-License-Identifier: BSD-3-Clause
#include "notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace shellgen {

Service::Service(asio::io_context &io) : timer_(io) {
    if (const char *text = std::getenv("WATCHDOG_USEC"))
        half_ = std::chrono::microseconds(std::strtoull(text, nullptr, 10) / 2);
}

void Service::ready() {
    tell("READY=1");
    if (half_.count()) live();
}

void Service::live() {
    timer_.expires_after(half_);
    timer_.async_wait([this](asio::error_code error) {
        if (error) return;
        tell("WATCHDOG=1");
        live();
    });
}

void Service::tell(const char *text) const {
    const char *path = std::getenv("NOTIFY_SOCKET");
    sockaddr_un address{};
    if (!path || !*path || std::strlen(path) >= sizeof address.sun_path) return;
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path);
    const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path));
    if (*path == '@') address.sun_path[0] = '\0';  // an abstract name
    const int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (file < 0) return;
    // If it is lost, the watchdog restarts the service, which is all that anybody could do.
    [[maybe_unused]] const auto sent =
        sendto(file, text, std::strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT, reinterpret_cast<sockaddr *>(&address), bytes);
    close(file);
}

}  // namespace shellgen
