// SPDX-License-Identifier: BSD-3-Clause
// Registers of the core by xrt::ip, frames by VNx's data movers, which XRT starts once for each frame.
// Sources: XRT, xrt_bo.h, xrt_device.h, xrt_ip.h, xrt_kernel.h; Xilinx/xup_vitis_network_example, Basic_kernels.
#include "xrt_board.h"

// Newer releases prefer hw_context to load_xclbin, which all releases have.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <experimental/xrt_ip.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>
#include <xrt/xrt_uuid.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "run_engine.h"

namespace shellgen {
namespace {

constexpr std::size_t kPage = 4096;  // XRT takes memory of ours in whole pages
constexpr const char *kRemedy = "load the bitstream again after xbutil reset";

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

// A mover, and the memory that it reaches.
class Mover : public RunPort {
public:
    Mover(const MoverSettings &settings, const StreamSettings &stream) : RunPort(settings.name, stream), settings_(settings) {}

    void open(const xrt::device &device, const xrt::uuid &uuid) {
        guarded(settings_.ip, [&] {
            kernel_ = xrt::kernel(device, uuid, settings_.ip);
            run_ = xrt::run(kernel_);
            device_ = device;
            for (auto &[data, piece] : pieces_) bind(piece);
        });
        number_ = 0;
        open_ = true;
    }
    void close() {
        open_ = false;
        for (auto &[data, piece] : pieces_) piece.bo = xrt::bo();
        run_ = xrt::run();
        kernel_ = xrt::kernel();
        forget();
    }

    Buffer take(std::size_t) override {
        Piece piece;
        piece.room = (memory_bytes_ + kPage - 1) / kPage * kPage;
        auto *data = static_cast<std::uint8_t *>(std::aligned_alloc(kPage, piece.room));
        if (!data) throw BoardError(name_ + ": there is no memory for another frame; give --slots less");
        piece.data.reset(data);
        std::memset(data, 0, piece.room);
        if (open_) guarded(name_, [&] { bind(piece); });
        pieces_.emplace(data, std::move(piece));
        return {data, 0, memory_bytes_};  // its address is the card's affair
    }
    void flush(const Buffer &buffer, std::size_t) override { sync(buffer, XCL_BO_SYNC_BO_TO_DEVICE); }
    void invalidate(const Buffer &buffer, std::size_t) override { sync(buffer, XCL_BO_SYNC_BO_FROM_DEVICE); }

private:
    void begin(const Buffer &buffer) override {
        guarded(name_, [&] {
            run_.set_arg(settings_.buffer, pieces_.at(buffer.data).bo);
            run_.set_arg(settings_.size, static_cast<int>(memory_bytes_));
            if (settings_.number) {
                number_ = number_ % 2 + 1;  // so that the core sees a run that was too short or too long
                run_.set_arg(*settings_.number, number_);
            }
            run_.start();
        });
    }
    bool over() override {
        const auto state = guarded(name_, [&] { return run_.state(); });
        if (state == ERT_CMD_STATE_NEW || state == ERT_CMD_STATE_QUEUED || state == ERT_CMD_STATE_RUNNING ||
            state == ERT_CMD_STATE_SUBMITTED)
            return false;
        if (state == ERT_CMD_STATE_COMPLETED) return true;
        throw BoardError(name_ + ": a run ended in state " + std::to_string(static_cast<int>(state)) + "; " + kRemedy);
    }
    void bind(Piece &piece) {
        piece.bo = xrt::bo(device_, piece.data.get(), piece.room, xrt::bo::flags::normal, kernel_.group_id(settings_.buffer));
    }
    void sync(const Buffer &buffer, xclBOSyncDirection direction) {
        guarded(name_, [&] { pieces_.at(buffer.data).bo.sync(direction, memory_bytes_, 0); });
    }

    const MoverSettings &settings_;
    std::map<std::uint8_t *, Piece> pieces_;
    xrt::device device_;
    xrt::kernel kernel_;
    xrt::run run_;
    int number_ = 0;
    bool open_ = false;
};

class XrtBoard : public Board, private Registers, private Buffers, private Programmer {
public:
    XrtBoard(const Options &options, const NodeSettings &settings);
    ~XrtBoard() override;

    Registers &registers() override { return *this; }
    Buffers &buffers() override { return *this; }
    std::unique_ptr<Engine> engine(const NodeSettings &) override { return std::make_unique<RunEngine>(settings_.name, ports_, kRemedy, false); }
    Programmer *programmer() override { return this; }

private:
    void open(const std::string &xclbin);
    void close();
    std::uint32_t read(std::uint64_t address) override;
    void write(std::uint64_t address, std::uint32_t value) override;
    Buffer take(std::size_t) override { throw BoardError(settings_.name + ": a card has memory of its movers only"); }
    void flush(const Buffer &, std::size_t) override {}
    void invalidate(const Buffer &, std::size_t) override {}
    bool programmed() override { return open_; }
    void program(const std::string &path) override;
    // The kernel that has a register, and where in it.
    std::pair<xrt::ip *, std::uint32_t> place(std::uint64_t address);

    const NodeSettings &settings_;
    xrt::device device_;
    xrt::ip ip_;
    std::vector<xrt::ip> units_;  // beside the core
    RunPorts ports_;
    std::vector<Mover *> movers_;  // the same
    bool open_ = false;
};

XrtBoard::XrtBoard(const Options &options, const NodeSettings &settings) : settings_(settings) {
    if (options.xclbin.empty() && options.store.empty())
        throw InputError("--xclbin: it is missing; give the bitstream of the card, or --store, to get it by order");
    for (const auto &one : settings.movers) {
        auto mover = std::make_unique<Mover>(one, settings.streams.at(one.stream));
        movers_.push_back(mover.get());
        ports_.emplace(one.stream, std::move(mover));
    }
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
    for (const auto &unit : settings_.units)
        guarded(unit.ip, [&] { units_.emplace_back(device_, uuid, unit.ip); });
    for (auto *mover : movers_) mover->open(device_, uuid);
    open_ = true;
}

// XRT loads no bitstream while somebody has a kernel of the one before.
void XrtBoard::close() {
    open_ = false;
    for (auto *mover : movers_) mover->close();
    units_.clear();
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

std::pair<xrt::ip *, std::uint32_t> XrtBoard::place(std::uint64_t address) {
    for (std::size_t k = 0; k < units_.size(); ++k) {
        const auto &unit = settings_.units[k];
        if (address >= unit.base && address - unit.base < unit.size) return {&units_[k], static_cast<std::uint32_t>(address - unit.base)};
    }
    if (address - settings_.base >= settings_.span)
        throw BoardError(settings_.name + ": the core has no address " + std::to_string(address));
    return {&ip_, static_cast<std::uint32_t>(address - settings_.base)};
}

std::uint32_t XrtBoard::read(std::uint64_t address) {
    const auto [ip, at] = place(address);
    return guarded(settings_.name, [ip = ip, at = at] { return ip->read_register(at); });
}

void XrtBoard::write(std::uint64_t address, std::uint32_t value) {
    const auto [ip, at] = place(address);
    guarded(settings_.name, [ip = ip, at = at, value] { ip->write_register(at, value); });
}

}  // namespace

std::unique_ptr<Board> xrt_board(const Options &options, const NodeSettings &settings) {
    return std::make_unique<XrtBoard>(options, settings);
}

}  // namespace shellgen
