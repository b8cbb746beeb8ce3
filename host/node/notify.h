// SPDX-License-Identifier: BSD-3-Clause
// Tells systemd that the service is ready and alive, if systemd has started it. The protocol is a datagram of
// text, which sd_notify(3) calls stable and describes for programs without libsystemd.
#pragma once

#include <asio.hpp>

namespace shellgen {

class Service {
public:
    explicit Service(asio::io_context &io);
    // Says that it listens, and from here on, while the program runs its handlers, that it is alive.
    void ready();

private:
    void tell(const char *text) const;
    void live();

    asio::steady_timer timer_;
    std::chrono::microseconds half_{0};  // of the time after which systemd restarts the service; 0: never
};

}  // namespace shellgen
