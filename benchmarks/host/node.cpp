// SPDX-License-Identifier: BSD-3-Clause
// shellgen-node on a board whose DMAs move frames without the processor:
// `node EDGE FRAME_BYTES SLOTS PL_US SEND_BYTES_PER_S [PORT]`. Frames enter by boundary EDGE and leave by EDGE + 1, to the
// node at PORT or to the client. PL_US 0: a transfer ends at once. Otherwise one frame is in the PL, for so long.
#include <sys/eventfd.h>

#include <csignal>
#include <iostream>

#include "control.h"
#include "paced_board.h"

namespace {

using namespace shellgen;

constexpr std::uint64_t kBase = 0x40000000, kDma = 0x41000000;

NodeSettings settings_of(std::uint32_t edge, std::uint32_t frame_bytes, bool last, double rate) {
    NodeSettings found;
    found.name = "node" + std::to_string(edge);
    found.build_id = 1;
    found.base = kBase;
    found.span = 0x1000;
    found.magic = 0x5348474e;
    std::uint64_t at = kBase;
    for (const char *name : {"MAGIC", "BUILD_ID_LOW", "BUILD_ID_HIGH", "CONTROL", "FLAGS", "FRAMES_PER_TRANSFER"}) {
        found.registers[name] = {at, 4};
        at += 0x40;
    }
    for (const bool enters : {true, false}) {
        StreamSettings stream;
        stream.index = enters ? 0 : 1;
        stream.enters = enters;
        stream.edge = enters ? edge : edge + 1;
        stream.boundary = "edge" + std::to_string(stream.edge);
        stream.frame_bytes = stream.memory_bytes = frame_bytes;
        stream.contract = 7;
        stream.host = enters ? edge == 1 : last;
        if (!enters) {
            ConsumerSettings consumer{stream.host, stream.boundary, stream.edge, {}};
            if (rate > 0) consumer.way.parts.push_back({std::make_shared<Medium>(), 1e9 / rate});
            stream.consumers.push_back(consumer);
        }
        found.streams.push_back(stream);
    }
    DmaSettings dma;
    dma.name = "dma";
    dma.base = kDma;
    dma.size = 0x1000;
    dma.most_bytes = (1 << 26) - 1;
    dma.mm2s = 0;
    dma.s2mm = 1;
    dma.memory = {{0, std::uint64_t{1} << 30}};
    found.dmas.push_back(dma);
    return found;
}

// Memory that processor and DMA see alike.
class PlainMemory : public Buffers {
public:
    Buffer take(std::size_t bytes) override {
        pieces_.emplace_back(bytes, 1);
        used_ += bytes;
        return {pieces_.back().data(), used_ - bytes, bytes};
    }
    void flush(const Buffer &, std::size_t) override {}
    void invalidate(const Buffer &, std::size_t) override {}

private:
    std::deque<std::vector<std::uint8_t>> pieces_;
    std::uint64_t used_ = 0;
};

// Transfers end at once and move nothing: on a board, the processor does nothing for them either.
class IdleBoard : public Board, private Registers {
public:
    explicit IdleBoard(const NodeSettings &settings) : settings_(settings), dma_(settings.dmas.front()), event_(eventfd(0, EFD_NONBLOCK)) {}
    ~IdleBoard() override { close(event_); }

    Registers &registers() override { return *this; }
    Buffers &buffers() override { return memory_; }
    int event() override { return event_; }

private:
    std::uint32_t read(std::uint64_t address) override {
        if (dma_.has(address)) return dma_.read(address);
        if (address == settings_.registers.at("MAGIC").address) return settings_.magic;
        return address == settings_.registers.at("BUILD_ID_LOW").address ? 1 : 0;
    }
    void write(std::uint64_t address, std::uint32_t value) override {
        if (!dma_.has(address)) return;
        dma_.write(address, value);
        if (value & dma::kReset && address - kDma == dma::kControl) inside_ = 0;
        auto &in = dma_.mm2s, &out = dma_.s2mm;
        if (in.active) {
            in.moved = in.length;
            in.complete();
            ++inside_;
        }
        if (out.active && inside_) {
            out.moved = out.length;
            out.complete();
            --inside_;
        }
    }

    const NodeSettings &settings_;
    PlainMemory memory_;
    DmaModel dma_;
    int event_;  // nothing happens that a register access has not caused
    std::uint64_t inside_ = 0;
};

}  // namespace

int main(int count, char **words) {
    std::signal(SIGPIPE, SIG_IGN);
    if (count < 6) return 2;
    const auto number = [&](int at) { return std::strtoul(words[at], nullptr, 10); };
    const bool last = count == 6;
    const auto settings = settings_of(static_cast<std::uint32_t>(number(1)), static_cast<std::uint32_t>(number(2)), last, std::atof(words[5]));
    Options options;
    options.slots = static_cast<unsigned>(number(3));
    if (!last) options.connect[settings.streams.back().boundary] = {"127.0.0.1", static_cast<std::uint16_t>(number(6))};
    std::unique_ptr<Board> board;
    if (const auto pl = std::chrono::microseconds(number(4)); pl.count())
        board = std::make_unique<PacedBoard>(settings, std::vector<PacedPart>{{{0}, {1}, pl, pl, ""}});
    else board = std::make_unique<IdleBoard>(settings);
    asio::io_context io{1};
    Node node(io, options, settings, *board, nullptr);
    Control control(io, options, node);
    std::cout << control.port() << std::endl;
    io.run();
}
