// SPDX-License-Identifier: BSD-3-Clause
#include "frames.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "../dma_engine.h"
#include "../rings.h"
#include "../text.h"

namespace shellgen {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kBatchBytes = 1 << 20;  // of a buffer, where nobody says how many frames a transfer has
constexpr unsigned kBuffers = 2;                // of a stream: one is filled while the other is under way
constexpr std::uint32_t kMarked = 1 << 3;       // of FLAGS
constexpr std::chrono::microseconds kPause{200};
constexpr std::chrono::milliseconds kTell{20};

// One stream between its port and the job's data. Transfer k uses buffer k modulo their number.
struct Pump {
    const StreamSettings &stream;
    Port &port;
    Buffers &memory;
    std::vector<Buffer> buffers;
    std::uint64_t frames, transfers;
    std::uint64_t started = 0, finished = 0, passed = 0;  // passed: copied to or from the data
    std::uint8_t *data;

    bool done() const { return passed >= transfers && finished >= transfers; }
};

class Frames {
public:
    Frames(Board &board, const HostMap &map, const Turns &turns, CardEngine *card, FramesJob &job)
        : board_(board), registers_(board.registers()), map_(map), node_(map.node), turns_(turns), card_(card), job_(job),
          core_(registers_, node_) {}

    void run() {
        check();
        choose_batch();
        core_.check();
        try {
            prepare();
        } catch (...) {
            if (!card_) board_.buffers().give_back();  // nothing has begun
            throw;
        }
        std::string wrong;
        try {
            begin();
            move();
            rings_->verify();
            engine_->verify();
            verify();
        } catch (const std::exception &error) {
            wrong = error.what();
        }
        end(wrong);
        if (!wrong.empty()) throw BoardError(wrong);
    }

private:
    bool ours(const StreamSettings &stream) const { return is_moved(node_, stream) && !stream.weights; }

    void check() const {
        const auto has = [this](const StreamSettings &stream) { return ours(stream); };
        if (!job_.frames || std::none_of(node_.streams.begin(), node_.streams.end(), has))
            throw InputError("node " + node_.name + ": there are no " + (card_ ? "movers" : "DMAs") + " or no frames");
        if (job_.frames >> 48) throw InputError("frames: " + std::to_string(job_.frames) + " are too many for one run");
        if (!card_ && !(node_.movers.empty() && node_.channels.empty()))
            throw InputError("node " + node_.name + ": kernels of a card move its frames, which own_registers cannot start");
        for (const auto &ring : node_.rings)
            if (ring.memory.empty())
                throw InputError("node " + node_.name + ": stream " + ring.boundary + " is kept in memory of the card; run_" + node_.name +
                                 ".py serves such nodes");
        for (const auto &stream : node_.streams) {
            if (stream.weights && stream.file.empty())
                throw InputError("stream " + stream.boundary + ": its weights were not known to shellgen generate; give them in [[weights]]");
            if (ours(stream) && share(stream) && !job_.data.at(stream.index))
                throw InputError((stream.enters ? "nothing feeds " : "nothing takes ") + stream.port + " (" + stream.boundary +
                                 "): give data for stream " + std::to_string(stream.index));
        }
    }

    std::uint64_t share(const StreamSettings &stream) const { return turns_.share(stream.index, job_.frames); }

    void choose_batch() {
        std::uint32_t most = card_ ? 1 : ~std::uint32_t{0}, fits = ~std::uint32_t{0};
        for (const auto &stream : node_.streams) {
            if (!ours(stream)) continue;
            if (turns_.shared(stream.index)) most = 1;  // a gather waits for one replica while another holds back a transfer
            most = std::min(most, map_.most_frames.at(stream.index));
            fits = std::min(fits, kBatchBytes / stream.memory_bytes);
        }
        if (job_.batch > most)
            throw InputError("batch " + std::to_string(job_.batch) + ": node " + node_.name + " takes 1 to " + std::to_string(most) +
                             " frames in a transfer");
        batch_ = std::min(job_.batch ? job_.batch : std::max(fits, std::uint32_t{1}), most);
        // The same in all transfers, so that the last has little in it for nothing.
        const auto transfers = (job_.frames + batch_ - 1) / batch_;
        batch_ = static_cast<std::uint32_t>((job_.frames + transfers - 1) / transfers);
        job_.batch = batch_;
    }

    // Takes all memory.
    void prepare() {
        rings_ = std::make_unique<Rings>(node_, board_);
        if (card_) {
            if (!card_->engine) card_->engine = board_.engine(node_);
            engine_ = card_->engine.get();
        } else {
            auto made = std::make_unique<DmaEngine>(board_, node_, batch_);
            dmas_ = made.get();
            own_ = std::move(made);
            engine_ = own_.get();
            dmas_->check();
        }
        for (const bool enters : {false, true})
            for (const auto &stream : node_.streams)
                if (stream.enters == enters && ours(stream)) add(stream);
        board_.buffers().taken();
    }

    void add(const StreamSettings &stream) {
        auto *const port = engine_->port(stream.index);
        if (!port) return;
        const auto frames = share(stream), transfers = (frames + batch_ - 1) / batch_;
        auto &memory = engine_->buffers(stream.index);
        std::vector<Buffer> found;
        auto &kept = card_ ? card_->buffers[stream.index] : found;
        const std::size_t wanted = card_ || transfers > 1 ? kBuffers : transfers ? 1 : 0;
        while (kept.size() < wanted) {
            kept.push_back(memory.take(std::size_t{batch_} * stream.memory_bytes));
            if (dmas_) dmas_->dma(stream.index)->check(kept.back());
        }
        pumps_.push_back({stream, *port, memory, kept, frames, transfers, 0, 0, 0, job_.data.at(stream.index)});
    }

    void begin() {
        core_.transfers_of(batch_);
        engine_->begin(core_, [this] {
            turns_.write(registers_);
            rings_->arm();
        });
        for (const auto &pump : pumps_) {
            const auto found = status("FRAMES_PER_TRANSFER", pump.stream);
            if (found != batch_)
                throw BoardError("stream " + pump.stream.boundary + ": FRAMES_PER_TRANSFER is " + std::to_string(found) + " after " +
                                 std::to_string(batch_) + " was written");
        }
        turns_.verify(registers_);
    }

    std::uint32_t status(const char *name, const StreamSettings &stream) {
        const auto &found = node_.registers.at(name);
        return registers_.read(found.address + stream.index * found.stride);
    }

    void move() {
        auto last = Clock::now();
        const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(job_.timeout));
        for (;;) {
            bool moved = false, done = true;
            for (auto &pump : pumps_) {
                moved |= step(pump);
                done &= pump.done();
            }
            tell(done);
            if (done) return;
            if (moved) last = Clock::now();
            else if (Clock::now() - last > limit) standstill();
            else std::this_thread::sleep_for(kPause);
        }
    }

    // Goes on without waiting, and tells whether something has moved.
    bool step(Pump &pump) {
        bool moved = false;
        const auto count = pump.buffers.size();
        if (pump.started > pump.finished && pump.port.finished()) {
            if (!pump.stream.enters) check_length(pump);
            ++pump.finished;
            moved = true;
        }
        const bool ready = pump.stream.enters ? pump.passed > pump.started : pump.started - pump.passed < count;
        if (pump.started < pump.transfers && pump.started == pump.finished && ready) {
            pump.port.start(pump.buffers[pump.started % count]);
            ++pump.started;
            moved = true;
        }
        const bool passes = pump.stream.enters ? pump.passed < pump.transfers && pump.passed - pump.finished < count : pump.finished > pump.passed;
        if (passes) pass(pump);
        return moved || passes;
    }

    void check_length(Pump &pump) {
        if (!dmas_) return;
        const auto size = std::uint64_t{batch_} * pump.stream.memory_bytes;
        const auto found = pump.port.moved() & dmas_->dma(pump.stream.index)->settings().most_bytes;
        if (found != size)
            throw BoardError("stream " + pump.stream.boundary + ": a transfer ended after " + std::to_string(found) + " of " +
                             std::to_string(size) + " bytes");
    }

    // Copies a transfer between buffer and data; what is more than the last frame repeats it, or is dropped.
    void pass(Pump &pump) {
        const auto &buffer = pump.buffers[pump.passed % pump.buffers.size()];
        const auto first = pump.passed * batch_;
        const auto count = std::min<std::uint64_t>(batch_, pump.frames - first);
        const std::size_t bytes = pump.stream.frame_bytes, room = pump.stream.memory_bytes;
        if (!pump.stream.enters) pump.memory.invalidate(buffer, buffer.bytes);
        for (std::uint64_t k = 0; k < (pump.stream.enters ? batch_ : count); ++k) {
            auto *const slot = buffer.data + k * room;
            auto *const data = pump.data + (first + std::min(k, count - 1)) * bytes;
            if (!pump.stream.enters) {
                std::memcpy(data, slot, bytes);
                continue;
            }
            std::memcpy(slot, data, bytes);
            std::memset(slot + bytes, 0, room - bytes);
        }
        if (pump.stream.enters) pump.memory.flush(buffer, buffer.bytes);
        ++pump.passed;
    }

    // Tells how many frames have come through all streams.
    void tell(bool now) {
        if (!job_.progress || (!now && Clock::now() - told_ < kTell)) return;
        told_ = Clock::now();
        auto least = job_.frames;
        for (const auto &pump : pumps_) {
            if (!pump.frames) continue;
            const auto done = std::min((pump.stream.enters ? pump.finished : pump.passed) * batch_, pump.frames);
            least = std::min(least, done == pump.frames ? job_.frames : done * job_.frames / pump.frames);
        }
        if (!job_.progress(least, job_.frames)) throw BoardError(node_.name + ": interrupted");
    }

    [[noreturn]] void standstill() {
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%g", job_.timeout);
        auto text = node_.name + ": nothing moved for " + seconds + " s; if it only takes long, give a longer timeout";
        for (const auto &pump : pumps_) {
            text += "; " + pump.stream.port + ": " + std::to_string(pump.finished) + " of " + std::to_string(pump.transfers) +
                    " transfers, the core counted " + std::to_string(status("FRAMES", pump.stream)) + " frames";
            if (!dmas_) continue;
            const auto &dma = dmas_->dma(pump.stream.index)->settings();
            const auto at = dma.base + (pump.stream.enters ? dma::kMm2s : dma::kS2mm) + dma::kStatus;
            text += ", " + dma.name + formatted(" DMASR %#llx", registers_.read(at));
        }
        throw BoardError(text);
    }

    // The core has seen no framing error, and counted the frames that were moved. What goes on to other boards has left when this is
    // done: the reset of the next run would cut it.
    void verify() {
        const auto all = (job_.frames + batch_ - 1) / batch_ * batch_;
        const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(job_.timeout));
        const StreamSettings *marked = nullptr;
        for (const auto &stream : node_.streams) {
            const auto flags = status("FLAGS", stream);
            if (flags & ~kMarked) throw BoardError("stream " + stream.boundary + formatted(": the core saw framing errors, flags %#llx", flags));
            if (flags) marked = &stream;
            const bool own = ours(stream);
            if (stream.weights || (!own && stream.enters)) continue;
            const auto sent = static_cast<std::uint32_t>(turns_.share(stream.index, all));
            auto counted = status("FRAMES", stream);
            while (counted < sent && Clock::now() < until) {  // beats that were moved are not yet a frame
                tell(false);
                counted = status("FRAMES", stream);
            }
            if (own ? counted != sent : counted < sent)
                throw BoardError("stream " + stream.boundary + ": the core counted " + std::to_string(counted) + " frames, and " +
                                 std::to_string(sent) + " were moved");
        }
        if (marked) tell_marked(*marked);
    }

    void tell_marked(const StreamSettings &stream) {
        const auto first = status("FIRST_MARKED", stream), last = status("LAST_MARKED", stream);
        job_.marked = FramesJob::Marked{"stream " + stream.boundary + ": some of the frames " + std::to_string(first) + " to " +
                                            std::to_string(last) + " are made of frames that a card has lost in a reset; run these frames again",
                                        first, last};
    }

    // Lets nothing use a buffer any more, before they are anybody else's.
    void end(std::string &wrong) {
        core_.transfers_of(1);
        try {
            engine_->detach(core_, [this] { rings_->disarm(); });
        } catch (const BoardError &error) {
            wrong += (wrong.empty() ? "" : "; ") + std::string(error.what());
            return;
        }
        if (!card_) board_.buffers().give_back();
    }

    Board &board_;
    Registers &registers_;
    const HostMap &map_;
    const NodeSettings &node_;
    const Turns &turns_;
    CardEngine *card_;
    FramesJob &job_;
    Core core_;
    std::uint32_t batch_ = 1;
    std::unique_ptr<Rings> rings_;
    std::unique_ptr<Engine> own_;
    Engine *engine_ = nullptr;
    DmaEngine *dmas_ = nullptr;  // the same, on a board
    std::vector<Pump> pumps_;
    Clock::time_point told_{};
};

}  // namespace

bool is_moved(const NodeSettings &node, const StreamSettings &stream) {
    const auto has = [&](const std::optional<unsigned> &one) { return one && *one == stream.index; };
    return std::any_of(node.dmas.begin(), node.dmas.end(), [&](const DmaSettings &dma) { return has(dma.mm2s) || has(dma.s2mm); }) ||
           std::any_of(node.movers.begin(), node.movers.end(), [&](const MoverSettings &mover) { return mover.stream == stream.index; }) ||
           std::any_of(node.channels.begin(), node.channels.end(), [&](const ChannelSettings &one) { return one.stream == stream.index; });
}

void run_frames(Board &board, const HostMap &map, const Turns &turns, CardEngine *card, FramesJob &job) {
    Frames(board, map, turns, card, job).run();
}

}  // namespace shellgen
