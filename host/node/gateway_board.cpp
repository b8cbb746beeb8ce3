// SPDX-License-Identifier: BSD-3-Clause
#include "gateway_board.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace shellgen {
namespace {

// One side of a boundary: where a frame has come, or where it is to go.
class PassPort : public Port {
public:
    PassPort(std::uint32_t frame_bytes, bool enters) : frame_bytes_(frame_bytes), enters_(enters) {}

    void join(PassPort &other) { other_ = &other; }
    void start(const Buffer &buffer) override {
        buffer_ = buffer;
        busy_ = true;
        if (!other_->busy_) return;
        const auto &from = enters_ ? *this : *other_, &to = enters_ ? *other_ : *this;
        std::memcpy(to.buffer_.data, from.buffer_.data, frame_bytes_);
        busy_ = other_->busy_ = false;
    }
    bool finished() override { return !busy_; }
    std::uint32_t moved() override { return frame_bytes_; }
    void forget() { busy_ = false; }

private:
    std::uint32_t frame_bytes_;
    bool enters_, busy_ = false;
    Buffer buffer_;
    PassPort *other_ = nullptr;
};

class PassEngine : public Engine {
public:
    PassEngine(const NodeSettings &settings, Buffers &buffers) : buffers_(buffers) {
        for (const auto &stream : settings.streams) ports_.emplace_back(stream.frame_bytes, stream.enters);
        for (std::size_t at = 0; at < ports_.size(); ++at) ports_[at].join(ports_[at ^ 1]);  // both of a boundary follow one another
    }

    Port *port(unsigned stream) override { return &ports_.at(stream); }
    Buffers &buffers(unsigned) override { return buffers_; }
    void begin(Core &, const std::function<void()> &held) override {
        for (auto &port : ports_) port.forget();
        held();
    }
    void detach(Core &core, const std::function<void()> &held) override { begin(core, held); }

private:
    Buffers &buffers_;
    std::deque<PassPort> ports_;
};

}  // namespace

GatewayBoard::GatewayBoard(const NodeSettings &settings) : settings_(settings), event_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (event_ < 0) throw BoardError(settings.name + ": eventfd: " + std::strerror(errno));
}

GatewayBoard::~GatewayBoard() { close(event_); }

std::unique_ptr<Engine> GatewayBoard::engine(const NodeSettings &settings) { return std::make_unique<PassEngine>(settings, buffers()); }

std::uint32_t GatewayBoard::read(std::uint64_t address) {
    const auto is = [&](const char *name) { return settings_.registers.at(name).address == address; };
    if (is("MAGIC")) return settings_.magic;
    if (is("BUILD_ID_LOW")) return static_cast<std::uint32_t>(settings_.build_id);
    if (is("BUILD_ID_HIGH")) return static_cast<std::uint32_t>(settings_.build_id >> 32);
    return 0;
}

Buffer GatewayBoard::take(std::size_t bytes) {
    auto &made = memory_.emplace_back(bytes);
    return {made.data(), reinterpret_cast<std::uintptr_t>(made.data()), bytes};
}

}  // namespace shellgen
