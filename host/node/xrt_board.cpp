// SPDX-License-Identifier: BSD-3-Clause
// Registers of the core by xrt::ip, frames by VNx's data movers, which XRT starts once for each frame. A run that has begun
// cannot be stopped: the core's reset by CONTROL brings every run of which a beat has come to its end, and one of which none
// has come gets the next frame.
// Sources: XRT, xrt_bo.h, xrt_device.h, xrt_ip.h, xrt_kernel.h; Xilinx/xup_vitis_network_example, Basic_kernels.
#include "xrt_board.h"

// Newer releases prefer hw_context to load_xclbin, which all releases have.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <experimental/xrt_ip.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>
#include <xrt/xrt_uuid.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "core.h"
#include "engine.h"

namespace shellgen {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPage = 4096;             // XRT takes memory of ours in whole pages
constexpr std::uint64_t kMostBytes = 1u << 31;  // the movers' argument is an int
constexpr int kLooks = 50;                      // at movers that may bring a frame, until they count as waiting
constexpr std::chrono::milliseconds kQuiet{10};
constexpr std::chrono::microseconds kPause{200};
constexpr std::chrono::seconds kPatience{1};  // for what the core brings to its end
constexpr const char *kRemedy = "; load the bitstream again after xbutil reset";

// What XRT throws, as an error of the board that says where.
template <class Act>
auto guarded(const std::string &what, Act &&act) {
    try {
        return act();
    } catch (const BoardError &) {
        throw;
    } catch (const std::exception &error) {
        throw BoardError(what + ": " + error.what());
    }
}

xrt::device opened(const std::string &name) {
    if (name.find_first_not_of("0123456789") == std::string::npos) return xrt::device(static_cast<unsigned>(std::stoul(name)));
    return xrt::device(name);
}

// Memory of ours, and what lies in the card's for it. It outlives a bitstream.
struct Piece {
    std::unique_ptr<std::uint8_t, decltype(&std::free)> data{nullptr, &std::free};
    std::size_t room = 0;
    xrt::bo bo;
};

// A mover: one port, and the memory that it reaches.
class Mover : public Port, public Buffers {
public:
    Mover(const MoverSettings &settings, const StreamSettings &stream)
        : settings_(settings), frame_bytes_(stream.frame_bytes), bytes_(stream.memory_bytes) {
        scratch_ = take(bytes_);
    }

    bool gives() const { return settings_.number.has_value(); }
    void open(const xrt::device &device, const xrt::uuid &uuid) {
        guarded(settings_.ip, [&] {
            kernel_ = xrt::kernel(device, uuid, settings_.ip);
            run_ = xrt::run(kernel_);
            device_ = device;
            for (auto &[data, piece] : pieces_) bind(piece);
        });
        number_ = 0;
    }
    void close() {
        for (auto &[data, piece] : pieces_) piece.bo = xrt::bo();
        run_ = xrt::run();
        kernel_ = xrt::kernel();
        busy_ = false;
        open_ = false;
    }

    Buffer take(std::size_t) override {
        Piece piece;
        piece.room = (bytes_ + kPage - 1) / kPage * kPage;
        auto *data = static_cast<std::uint8_t *>(std::aligned_alloc(kPage, piece.room));
        if (!data) throw BoardError(settings_.name + ": there is no memory for another frame; give --slots less");
        piece.data.reset(data);
        std::memset(data, 0, piece.room);
        if (open_) bind(piece);
        pieces_.emplace(data, std::move(piece));
        return {data, 0, frame_bytes_};  // its address is the card's affair
    }
    void flush(const Buffer &buffer, std::size_t) override { sync(buffer, XCL_BO_SYNC_BO_TO_DEVICE); }
    void invalidate(const Buffer &buffer, std::size_t) override { sync(buffer, XCL_BO_SYNC_BO_FROM_DEVICE); }

    void start(const Buffer &buffer) override {
        if (busy_) {
            wanted_ = &buffer;  // it waits for the first frame of the epoch already
            return;
        }
        guarded(settings_.name, [&] {
            run_.set_arg(settings_.buffer, pieces_.at(buffer.data).bo);
            run_.set_arg(settings_.size, static_cast<int>(bytes_));
            if (gives()) {
                number_ = number_ % 2 + 1;  // so that the core sees a run that was too short or too long
                run_.set_arg(*settings_.number, number_);
            }
            run_.start();
        });
        into_ = buffer;
        busy_ = true;
    }
    bool finished() override {
        const auto state = guarded(settings_.name, [&] { return run_.state(); });
        if (state == ERT_CMD_STATE_NEW || state == ERT_CMD_STATE_QUEUED || state == ERT_CMD_STATE_RUNNING ||
            state == ERT_CMD_STATE_SUBMITTED)
            return false;
        if (state != ERT_CMD_STATE_COMPLETED)
            throw BoardError(settings_.name + ": a run ended in state " + std::to_string(static_cast<int>(state)) + kRemedy);
        busy_ = false;
        if (wanted_ && wanted_->data != into_.data) {
            invalidate(into_, bytes_);
            std::memcpy(wanted_->data, into_.data, frame_bytes_);
            flush(*wanted_, bytes_);
        }
        wanted_ = nullptr;
        return true;
    }
    std::uint32_t moved() override { return frame_bytes_; }

    // A run is under way.
    bool busy() { return busy_ && !finished(); }
    // Waits for a frame that nobody looks at, or for the first of an epoch.
    void arm() {
        wanted_ = nullptr;
        if (!busy_) start(scratch_);
    }
    void zeros() {
        std::memset(scratch_.data, 0, bytes_);
        flush(scratch_, bytes_);
        start(scratch_);
    }

private:
    void bind(Piece &piece) {
        piece.bo = xrt::bo(device_, piece.data.get(), piece.room, xrt::bo::flags::normal, kernel_.group_id(settings_.buffer));
        open_ = true;
    }
    void sync(const Buffer &buffer, xclBOSyncDirection direction) {
        guarded(settings_.name, [&] { pieces_.at(buffer.data).bo.sync(direction, bytes_, 0); });
    }

    const MoverSettings &settings_;
    std::uint32_t frame_bytes_, bytes_;
    std::map<std::uint8_t *, Piece> pieces_;
    Buffer scratch_, into_;  // for what nobody looks at; where the run puts its frame
    xrt::device device_;
    xrt::kernel kernel_;
    xrt::run run_;
    int number_ = 0;
    bool open_ = false, busy_ = false;
    const Buffer *wanted_ = nullptr;  // where the frame shall go, if the run has begun before that was known
};

class XrtBoard : public Board, private Registers, private Buffers, private Programmer {
public:
    XrtBoard(const Options &options, const NodeSettings &settings);
    ~XrtBoard() override;

    Registers &registers() override { return *this; }
    Buffers &buffers() override { return *this; }
    std::unique_ptr<Engine> engine(const NodeSettings &) override { return std::make_unique<Movers>(*this); }
    Programmer *programmer() override { return this; }

private:
    // All movers of a card.
    class Movers : public Engine {
    public:
        explicit Movers(XrtBoard &board) : board_(board) {}
        Port *port(unsigned stream) override { return find(stream); }
        Buffers &buffers(unsigned stream) override { return *find(stream); }
        void begin(Core &core, const std::function<void()> &held) override;
        void detach(Core &core, const std::function<void()> &held) override;

    private:
        Mover *find(unsigned stream) {
            const auto found = board_.movers_.find(stream);
            return found == board_.movers_.end() ? nullptr : &found->second;
        }
        void settle(Core &core, const std::function<bool(Mover &)> &look);
        bool rest(std::chrono::milliseconds time);

        XrtBoard &board_;
    };

    void open(const std::string &xclbin);
    void close();
    std::uint32_t read(std::uint64_t address) override;
    void write(std::uint64_t address, std::uint32_t value) override;
    Buffer take(std::size_t) override { throw BoardError(settings_.name + ": a card has memory of its movers only"); }
    void flush(const Buffer &, std::size_t) override {}
    void invalidate(const Buffer &, std::size_t) override {}
    bool programmed() override { return open_; }
    void program(const std::string &path) override;
    std::uint32_t offset(std::uint64_t address) const;

    const NodeSettings &settings_;
    xrt::device device_;
    xrt::ip ip_;
    std::map<unsigned, Mover> movers_;  // by stream
    bool open_ = false;
};

XrtBoard::XrtBoard(const Options &options, const NodeSettings &settings) : settings_(settings) {
    for (const auto &one : settings.movers) movers_.try_emplace(one.stream, one, settings.streams.at(one.stream));
    try {
        device_ = opened(options.device);
    } catch (const std::exception &error) {
        throw InputError("--device " + options.device + ": " + error.what() + "; see xbutil examine");
    }
    if (options.xclbin.empty()) return;
    try {
        open(options.xclbin);
    } catch (const BoardError &error) {
        throw InputError("--xclbin " + options.xclbin + ": " + error.what());
    }
}

XrtBoard::~XrtBoard() { close(); }

void XrtBoard::open(const std::string &xclbin) {
    const auto uuid = guarded("load_xclbin", [&] { return device_.load_xclbin(xclbin); });
    guarded(settings_.ip, [&] { ip_ = xrt::ip(device_, uuid, settings_.ip); });
    for (auto &[stream, mover] : movers_) mover.open(device_, uuid);
    open_ = true;
}

// XRT loads no bitstream while somebody has a kernel of the one before.
void XrtBoard::close() {
    open_ = false;
    for (auto &[stream, mover] : movers_) mover.close();
    ip_ = xrt::ip();
}

void XrtBoard::program(const std::string &path) {
    close();
    try {
        open(path);
    } catch (const BoardError &error) {
        close();
        throw BoardError(settings_.name + ": the bitstream is not taken: " + error.what());
    }
}

std::uint32_t XrtBoard::offset(std::uint64_t address) const {
    if (address - settings_.base >= settings_.span)
        throw BoardError(settings_.name + ": the core has no address " + std::to_string(address));
    return static_cast<std::uint32_t>(address - settings_.base);
}

std::uint32_t XrtBoard::read(std::uint64_t address) {
    const auto at = offset(address);
    return guarded(settings_.name, [&] { return ip_.read_register(at); });
}

void XrtBoard::write(std::uint64_t address, std::uint32_t value) {
    const auto at = offset(address);
    guarded(settings_.name, [&] { ip_.write_register(at, value); });
}

// Waits for the end of a reset and until nothing has come for a while; `look` tells whether a mover has moved. What the core
// has begun to put out, it fills with zeros; where it waits for beats that never come, the reset is forced.
void XrtBoard::Movers::settle(Core &core, const std::function<bool(Mover &)> &look) {
    const auto began = Clock::now();
    auto last = began;
    for (int looks = 0; looks < kLooks || Clock::now() - last < kQuiet; ++looks) {
        bool moved = core.resets();
        if (moved && Clock::now() - began > kPatience) {
            core.hold();
            core.release();
        }
        for (auto &[stream, mover] : board_.movers_) moved |= look(mover);
        if (moved) {
            looks = 0;
            last = Clock::now();
        }
        if (last - began > 3 * kPatience)
            throw BoardError(board_.settings_.name + ": it does not come to rest" + kRemedy);
        std::this_thread::sleep_for(kPause);
    }
}

bool XrtBoard::Movers::rest(std::chrono::milliseconds time) {
    const auto end = Clock::now() + time;
    const auto busy = [&] {
        bool found = false;
        for (auto &[stream, mover] : board_.movers_) found |= mover.busy();
        return found;
    };
    while (busy()) {
        if (Clock::now() > end) return false;
        std::this_thread::sleep_for(kPause);
    }
    return true;
}

// What comes out of the core goes to a buffer that nobody looks at, until nothing more comes.
void XrtBoard::Movers::begin(Core &core, const std::function<void()> &held) {
    core.check();
    for (auto &[stream, mover] : board_.movers_)
        if (!mover.gives()) mover.arm();
    core.ask_reset();
    settle(core, [](Mover &mover) {
        if (mover.gives()) return mover.busy();
        if (mover.busy()) return false;
        mover.arm();
        return true;
    });
    core.hold();
    held();
    core.release();
}

// A mover that waits for a frame gets the result of zeros: XRT must not give up the card.
void XrtBoard::Movers::detach(Core &core, const std::function<void()> &held) {
    begin(core, held);
    for (auto &[stream, mover] : board_.movers_)
        if (mover.gives()) mover.zeros();
    const bool rests = rest(kPatience);
    core.ask_reset();
    settle(core, [](Mover &) { return false; });
    if (!rests) throw BoardError(board_.settings_.name + ": a mover still waits for a frame" + kRemedy);
}

}  // namespace

std::unique_ptr<Board> xrt_board(const Options &options, const NodeSettings &settings) {
    return std::make_unique<XrtBoard>(options, settings);
}

}  // namespace shellgen
