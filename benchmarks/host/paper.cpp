// SPDX-License-Identifier: BSD-3-Clause
// The server of the publication, as far as it is described: one thread receives; the other gives a frame to the PL, waits,
// and sends. All calls block, and one frame is in the PL. `paper FRAME_BYTES PL_US SEND_BYTES_PER_S`: the PL is a pause;
// sending takes as long as at this rate (0: as it comes), because the board's processor is busy with it. Both times are of
// the publication's board and contain what its kernel needs to wake a thread, so each pause begins where the one before was
// due to end, not where this machine has woken up.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "sockets.h"

namespace {

constexpr std::size_t kHeader = 64, kBuffers = 16;
using Frame = std::vector<std::uint8_t>;

// Frames from one thread to the other.
class Queue {
public:
    void push(Frame *frame) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            frames_.push_back(frame);
        }
        came_.notify_one();
    }
    // `due` becomes the time at which the frame came, unless it was there before.
    Frame *pop(bench::Clock::time_point *due = nullptr) {
        std::unique_lock<std::mutex> lock(mutex_);
        const bool waits = frames_.empty();
        came_.wait(lock, [this] { return !frames_.empty(); });
        if (waits && due) *due = bench::Clock::now();
        auto *found = frames_.front();
        frames_.pop_front();
        return found;
    }

private:
    std::mutex mutex_;
    std::condition_variable came_;
    std::deque<Frame *> frames_;
};

}  // namespace

int main(int count, char **words) {
    if (count < 4) return 2;
    const auto bytes = std::strtoul(words[1], nullptr, 10);
    const std::chrono::duration<double, std::micro> pl(std::atof(words[2]));
    const double rate = std::atof(words[3]);
    int port = 0;
    const int own = bench::listening(port);
    std::printf("%d\n", port);
    std::fflush(stdout);
    const int from = bench::accepted(own), to = bench::accepted(own);
    std::vector<Frame> frames(kBuffers, Frame(kHeader + bytes));
    Queue empty, full;
    for (auto &frame : frames) empty.push(&frame);
    std::thread receiver([&] {
        for (;;) {
            auto *frame = empty.pop();
            if (!bench::read_all(from, frame->data(), frame->size())) return full.push(nullptr);
            full.push(frame);
        }
    });
    using Duration = bench::Clock::duration;
    const auto sent = rate > 0 ? std::chrono::duration_cast<Duration>(std::chrono::duration<double>(static_cast<double>(bytes) / rate))
                               : Duration::zero();
    auto due = bench::Clock::now();
    while (auto *frame = full.pop(&due)) {
        due += std::chrono::duration_cast<Duration>(pl);
        if (pl.count() > 0) std::this_thread::sleep_until(due);
        iovec part{frame->data(), frame->size()};
        bench::write_all(to, &part, 1);
        due += sent;
        if (rate > 0) std::this_thread::sleep_until(due);
        empty.push(frame);
    }
    receiver.join();
}
