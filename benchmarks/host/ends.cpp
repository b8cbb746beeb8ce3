// SPDX-License-Identifier: BSD-3-Clause
// A client that takes little time itself: `ends FRAME_BYTES FRAMES WINDOW PORT...`, the ports of nodes in a row. Without a
// port, frames go from one thread straight to the other. Prints: seconds, frames measured, median and 99th percentile
// of the time of a frame in us.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "crc32c.h"
#include "protocol.h"
#include "sockets.h"

namespace {

using namespace shellgen;
using namespace shellgen::protocol;

constexpr std::uint32_t kEpoch = 1;
constexpr std::uint64_t kContract = 7;
constexpr std::size_t kBatchBytes = 1 << 16, kMostBatch = 256;

template <class T>
void send(int fd, Header header, const T &body) {
    std::uint8_t data[Header::kBytes + T::kBytes];
    header.type = static_cast<std::uint8_t>(T::kType);
    header.bytes = T::kBytes;
    header.crc = 0;
    header.write(data);
    body.write(data + Header::kBytes);
    header.crc = crc32c(0, data, sizeof data);
    header.write(data);
    iovec part{data, sizeof data};
    bench::write_all(fd, &part, 1);
}

template <class T>
T receive(int fd, Header *header = nullptr) {
    std::uint8_t data[Header::kBytes + T::kBytes];
    if (!bench::read_all(fd, data, sizeof data)) bench::fail("a node has closed a connection");
    const auto head = Header::read(data);
    if (head.type != static_cast<std::uint8_t>(T::kType)) {
        std::fprintf(stderr, "a message of type %d instead of %d\n", head.type, static_cast<int>(T::kType));
        std::exit(1);
    }
    if (header) *header = head;
    return T::read(data + Header::kBytes);
}

Hello hello(Role role, std::uint32_t frame_bytes) {
    Hello found;
    found.low = found.high = kVersion;
    found.role = static_cast<std::uint8_t>(role);
    found.frame_bytes = frame_bytes;
    found.contract = role == Role::CONTROL ? 0 : kContract;
    return found;
}

class Run {
public:
    Run(std::uint32_t bytes, std::uint64_t frames, std::uint64_t window, std::vector<int> ports)
        : bytes_(bytes), frames_(frames), window_(window), ports_(std::move(ports)), sent_at_(frames), took_(frames) {}

    void go() {
        connect();
        std::thread sender([this] { feed(); });
        drain();
        sender.join();
        std::sort(took_.begin(), took_.end());
        const auto at = [&](double share) { return took_[static_cast<std::size_t>(share * static_cast<double>(took_.size() - 1))]; };
        std::printf("%.9f %llu %.3f %.3f\n", seconds_, static_cast<unsigned long long>(frames_ - 1), at(0.5), at(0.99));
    }

private:
    void connect() {
        if (ports_.empty()) {
            int port = 0;
            const int own = bench::listening(port);
            out_ = bench::connected(port);
            in_ = bench::accepted(own);
            credits_ = frames_;
            return;
        }
        Header header;
        for (const int port : ports_) {
            const int control = bench::connected(port);
            send(control, header, hello(Role::CONTROL, 0));
            receive<Welcome>(control);
            header.epoch = kEpoch;
            send(control, header, Epoch{});
            receive<Epoch>(control);
            header.epoch = 0;
        }
        header.epoch = kEpoch;
        header.edge = static_cast<std::uint32_t>(ports_.size()) + 1;
        in_ = bench::connected(ports_.back());
        send(in_, header, hello(Role::SINK, bytes_));
        receive<Welcome>(in_);
        header.edge = 1;
        out_ = bench::connected(ports_.front());
        send(out_, header, hello(Role::SOURCE, bytes_));
        credits_ = receive<Welcome>(out_).credits;
    }

    // Waits until frames may be sent, and returns how many.
    std::uint64_t room(std::uint64_t sent) {
        while (!ports_.empty()) {
            std::uint8_t byte;
            const bool must = credits_ == sent;
            if (recv(out_, &byte, 1, MSG_PEEK | (must ? 0 : MSG_DONTWAIT)) <= 0) break;
            Header header;
            const auto ack = receive<Ack>(out_, &header);
            credits_ = header.frame + ack.credits;
        }
        std::unique_lock<std::mutex> lock(mutex_);
        came_.wait(lock, [&] { return sent - got_ < window_; });
        return std::min({credits_ - sent, window_ - (sent - got_), frames_ - sent});
    }

    void feed() {
        std::vector<std::uint8_t> frame(bytes_, 1);
        const Crc32cBehind behind(bytes_);
        const auto sum = crc32c(0, frame.data(), bytes_);
        const auto most = std::clamp<std::uint64_t>(kBatchBytes / (bytes_ + Header::kBytes), 1, kMostBatch);
        std::vector<std::array<std::uint8_t, Header::kBytes>> heads(most);
        std::vector<iovec> parts;
        for (std::uint64_t sent = 0; sent < frames_;) {
            const auto now = std::min(most, room(sent));
            parts.clear();
            for (std::uint64_t k = 0; k < now; ++k) {
                Header header;
                header.type = static_cast<std::uint8_t>(Type::FRAME);
                header.edge = 1;
                header.epoch = kEpoch;
                header.frame = sent + k;
                header.bytes = bytes_;
                header.write(heads[k].data());
                header.crc = behind(crc32c(0, heads[k].data(), Header::kBytes), sum);
                header.write(heads[k].data());
                parts.push_back({heads[k].data(), Header::kBytes});
                parts.push_back({frame.data(), frame.size()});
            }
            const auto at = bench::Clock::now();
            std::fill_n(sent_at_.begin() + static_cast<std::ptrdiff_t>(sent), now, at);
            bench::write_all(out_, parts.data(), static_cast<int>(parts.size()));
            sent += now;
        }
    }

    void drain() {
        const auto whole = Header::kBytes + bytes_;
        std::vector<std::uint8_t> data(std::max<std::size_t>(whole * 2, kBatchBytes * 2));
        std::size_t have = 0;
        std::uint64_t got = 0, told = 0;
        bench::Clock::time_point begin;
        while (got < frames_) {
            // Of long frames one at a time, as the reader of the pair does.
            const bool one = whole > kBatchBytes / 2;
            const auto more = recv(in_, data.data() + have, one ? whole - have : data.size() - have, one ? MSG_WAITALL : 0);
            if (more <= 0) bench::fail("recv");
            have += static_cast<std::size_t>(more);
            std::size_t at = 0;
            const auto before = got;
            for (; have - at >= whole; at += whole) {
                const auto header = Header::read(data.data() + at);
                if (header.magic != kMagic || header.frame != got) bench::fail("a frame is not the next one");
                took_[got] = std::chrono::duration<double, std::micro>(bench::Clock::now() - sent_at_[got]).count();
                if (!got++) begin = bench::Clock::now();  // the start counts for nothing
            }
            std::copy(data.begin() + static_cast<std::ptrdiff_t>(at), data.begin() + static_cast<std::ptrdiff_t>(have), data.begin());
            have -= at;
            if (got == before) continue;
            {
                const std::lock_guard<std::mutex> lock(mutex_);
                got_ = got;
            }
            came_.notify_one();
            if (!ports_.empty() && (got - told >= kMostTold || got == frames_ || window_ < kMostTold)) {
                Header header;
                header.edge = static_cast<std::uint32_t>(ports_.size()) + 1;
                header.epoch = kEpoch;
                header.frame = told = got;
                Ack ack;
                ack.credits = 4096;
                send(in_, header, ack);
            }
        }
        seconds_ = bench::seconds_since(begin);
    }

    static constexpr std::uint64_t kMostTold = 8;
    const std::uint32_t bytes_;
    const std::uint64_t frames_, window_;
    const std::vector<int> ports_;
    std::vector<bench::Clock::time_point> sent_at_;
    std::vector<double> took_;
    int in_ = -1, out_ = -1;
    std::uint64_t credits_ = 0, got_ = 0;
    double seconds_ = 0;
    std::mutex mutex_;
    std::condition_variable came_;
};

}  // namespace

int main(int count, char **words) {
    if (count < 4) return 2;
    const auto number = [&](int at) { return std::strtoull(words[at], nullptr, 10); };
    std::vector<int> ports;
    for (int at = 4; at < count; ++at) ports.push_back(std::atoi(words[at]));
    Run(static_cast<std::uint32_t>(number(1)), number(2), number(3), ports).go();
}
