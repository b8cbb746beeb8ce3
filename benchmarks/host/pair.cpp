// SPDX-License-Identifier: BSD-3-Clause
// A writer and a reader, a system call for each frame: `pair FRAME_BYTES FRAMES [PORT]`. With a port, frames go through
// the server there, which takes them from the first connection and sends them on the second.
#include <thread>
#include <vector>

#include "sockets.h"

namespace {

constexpr std::size_t kHeader = 64;

}  // namespace

int main(int count, char **words) {
    if (count < 3) return 2;
    const auto bytes = std::strtoul(words[1], nullptr, 10), frames = std::strtoul(words[2], nullptr, 10);
    int port = count > 3 ? std::atoi(words[3]) : 0, from, to;
    if (port) {
        to = bench::connected(port);
        from = bench::connected(port);
    } else {
        const int own = bench::listening(port);
        to = bench::connected(port);
        from = bench::accepted(own);
    }
    std::thread writer([&] {
        std::vector<std::uint8_t> head(kHeader), frame(bytes);
        for (std::size_t i = 0; i < frames; ++i) {
            iovec parts[] = {{head.data(), head.size()}, {frame.data(), frame.size()}};
            bench::write_all(to, parts, 2);
        }
        shutdown(to, SHUT_WR);
    });
    std::vector<std::uint8_t> got(kHeader + bytes);
    bench::read_all(from, got.data(), got.size());  // the start counts for nothing
    const auto begin = bench::Clock::now();
    const auto cpu = bench::cpu_seconds();
    for (std::size_t i = 1; i < frames; ++i)
        if (!bench::read_all(from, got.data(), got.size())) return 1;
    std::printf("%.9f %.9f\n", bench::seconds_since(begin), bench::cpu_seconds() - cpu);
    writer.join();
}
