// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the state machine of shellgen-node: several connections say what the input decides, and afterwards an
// honest client must get its frames.
#include <fuzzer/FuzzedDataProvider.h>
#include <sys/socket.h>

#include "control.h"
#include "echo_board.h"

namespace {

using namespace shellgen;

constexpr std::uint32_t kFrameBytes = 24;
constexpr unsigned kSlots = 4, kConnections = 4, kMostSteps = 24;

[[noreturn]] void found(const char *what) {
    std::fprintf(stderr, "found: %s\n", what);
    std::abort();
}

struct Peer {
    int fd = -1;
    ~Peer() { end(); }
    void end() {
        if (fd >= 0) ::close(fd);
        fd = -1;
    }
    void send(const void *data, std::size_t bytes) const {
        if (fd >= 0) [[maybe_unused]] const auto sent = ::send(fd, data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    void send(const std::vector<std::uint8_t> &bytes) const { send(bytes.data(), bytes.size()); }
    std::vector<std::uint8_t> take() const {
        std::vector<std::uint8_t> all;
        std::uint8_t piece[4096];
        for (ssize_t got; fd >= 0 && (got = ::recv(fd, piece, sizeof piece, MSG_DONTWAIT)) > 0;)
            all.insert(all.end(), piece, piece + got);
        return all;
    }
};

class Arena {
public:
    Arena()
        : settings_(echo_settings(kFrameBytes)), options_(options()), board_(settings_),
          node_(io_, options_, settings_, board_), control_(io_, options_, node_) {}

    void run() {
        io_.restart();
        io_.poll();
    }

    void open(Peer &peer) {
        peer.end();
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends)) found("no socket");
        peer.fd = ends[0];
        tcp::socket socket(io_);
        socket.assign(tcp::v4(), ends[1]);
        control_.admit(std::move(socket));
    }

    Node &node() { return node_; }
    const NodeSettings &settings() const { return settings_; }

private:
    static Options options() {
        Options found;
        found.slots = kSlots;
        return found;
    }

    asio::io_context io_{1};
    NodeSettings settings_;
    Options options_;
    EchoBoard board_;
    Node node_;
    Control control_;
};

std::vector<std::uint8_t> hello(protocol::Role role, std::uint32_t edge, std::uint32_t epoch, std::uint64_t frame) {
    Header head;
    head.edge = edge;
    head.epoch = epoch;
    head.frame = frame;
    protocol::Hello found;
    found.low = found.high = protocol::kVersion;
    found.role = static_cast<std::uint8_t>(role);
    const bool data = role != protocol::Role::CONTROL;
    found.frame_bytes = data ? kFrameBytes : 0;
    found.contract = data ? 7 : 0;
    return sealed(head, found);
}

std::vector<std::uint8_t> frame(std::uint32_t epoch, std::uint64_t number, std::uint8_t filling) {
    Header head;
    head.edge = 1;
    head.epoch = epoch;
    head.frame = number;
    const std::vector<std::uint8_t> payload(kFrameBytes, filling);
    return sealed(head, Type::FRAME, payload.data(), payload.size());
}

// Small numbers most of the time, and those at the ends.
std::uint64_t number(FuzzedDataProvider &data) {
    return data.ConsumeBool() ? data.ConsumeIntegralInRange<std::uint64_t>(0, 8) : data.ConsumeIntegral<std::uint64_t>() - 4;
}

std::vector<std::uint8_t> any_message(FuzzedDataProvider &data) {
    Header head;
    head.flags = data.ConsumeIntegralInRange<std::uint16_t>(0, 3);
    head.edge = data.ConsumeIntegralInRange<std::uint32_t>(0, 3);
    head.epoch = static_cast<std::uint32_t>(number(data));
    head.frame = number(data);
    const auto type = data.ConsumeIntegralInRange<std::uint8_t>(0, 10);
    auto bytes = body_bytes(type).value_or(kFrameBytes);
    if (data.ConsumeIntegralInRange(0, 9) == 0) bytes = data.ConsumeIntegralInRange<std::uint32_t>(0, 300);
    auto body = data.ConsumeBytes<std::uint8_t>(bytes);
    body.resize(bytes);
    return sealed(head, static_cast<Type>(type), body.data(), body.size());
}

void step(FuzzedDataProvider &data, Arena &arena, std::array<Peer, kConnections> &peers) {
    auto &peer = peers[data.ConsumeIntegralInRange<std::size_t>(0, kConnections - 1)];
    const auto epoch = arena.node().epoch();
    switch (data.ConsumeIntegralInRange(0, 9)) {
        case 0: arena.open(peer); break;
        case 1: peer.send(hello(protocol::Role::CONTROL, 0, 0, 0)); break;
        case 2: peer.send(hello(protocol::Role::SOURCE, 1, epoch, 0)); break;
        case 3: peer.send(hello(protocol::Role::SINK, 2, epoch, number(data))); break;
        case 4: {
            Header head;
            head.epoch = epoch + 1;
            head.frame = number(data);
            peer.send(sealed(head, Type::EPOCH));
            break;
        }
        case 5: peer.send(frame(epoch, number(data), 3)); break;
        case 6: peer.send(any_message(data)); break;
        case 7: {
            auto message = any_message(data);
            message[data.ConsumeIntegralInRange<std::size_t>(0, message.size() - 1)] ^= data.ConsumeIntegral<std::uint8_t>();
            message.resize(data.ConsumeIntegralInRange<std::size_t>(0, message.size()));
            peer.send(message);
            break;
        }
        case 8: peer.send(data.ConsumeBytes<std::uint8_t>(64)); break;
        default: peer.end(); break;
    }
    if (data.ConsumeBool()) arena.run();
}

// A client that begins an epoch, sends three frames and gets them back.
void honest(Arena &arena) {
    const auto epoch = arena.node().epoch() + 1;
    if (epoch == ~std::uint32_t{0}) return;
    Peer control, source, sink;
    for (auto *peer : {&control, &source, &sink}) arena.open(*peer);
    control.send(hello(protocol::Role::CONTROL, 0, 0, 0));
    Header head;
    head.epoch = epoch;
    head.frame = 5;
    control.send(sealed(head, Type::EPOCH));
    arena.run();
    if (arena.node().epoch() != epoch) found("an honest client cannot begin an epoch");
    source.send(hello(protocol::Role::SOURCE, 1, epoch, 0));
    sink.send(hello(protocol::Role::SINK, 2, epoch, 5));
    arena.run();
    for (std::uint8_t k = 0; k < 3; ++k) {
        source.send(frame(epoch, 5 + k, k));
        arena.run();
    }
    const auto got = sink.take();
    const std::size_t each = protocol::kHeaderBytes + kFrameBytes, welcome = protocol::kHeaderBytes + protocol::Welcome::kBytes;
    if (got.size() != welcome + 3 * each) found("an honest client does not get its three frames");
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < kFrameBytes; ++i)
            if (got[welcome + k * each + protocol::kHeaderBytes + i] != k) found("a frame came out altered");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
    FuzzedDataProvider data(bytes, size);
    Arena arena;
    std::array<Peer, kConnections> peers;
    for (auto &peer : peers) arena.open(peer);
    for (unsigned k = 0; k < kMostSteps && data.remaining_bytes(); ++k) step(data, arena, peers);
    arena.run();
    const auto state = arena.node().state();
    if (state.waiting > kSlots || state.unsent > kSlots) found("more frames than there are slots");
    if (state.copied) found("a frame was copied");
    for (auto &peer : peers) peer.end();
    arena.run();
    honest(arena);
    return 0;
}
