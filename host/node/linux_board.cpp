// SPDX-License-Identifier: BSD-3-Clause
#include "linux_board.h"

#include <sys/stat.h>
#include <unistd.h>

#include <sstream>

#include "text.h"
#include "udma_buffers.h"
#include "zocl_buffers.h"

namespace shellgen {
namespace {

// Registers of the AXI interrupt controller (PG099): interrupts that pass, that have been served, and that all of them pass.
constexpr std::uint64_t kEnable = 0x08, kServed = 0x0C, kMaster = 0x1C;
constexpr std::uint32_t kAll = 3;  // of kMaster: to the processor, from the inputs

std::uint32_t inputs_of(const ControllerSettings &controller) { return static_cast<std::uint32_t>((std::uint64_t{1} << controller.inputs) - 1); }

// Of a node that moves no frames.
class NoBuffers : public Buffers {
    Buffer take(std::size_t) override {
        throw InputError("--buffers: it is missing; give the memory of the DMAs, such as /dev/udmabuf0 or zocl");
    }
    void flush(const Buffer &, std::size_t) override {}
    void invalidate(const Buffer &, std::size_t) override {}
};

std::unique_ptr<Buffers> open_buffers(const Options &options, const NodeSettings &settings) {
    if (options.buffers.empty()) return std::make_unique<NoBuffers>();
    if (is_zocl(options.buffers)) return std::make_unique<ZoclBuffers>(options, settings);
    return std::make_unique<UdmaBuffers>(options, settings);
}

}  // namespace

LinuxBoard::LinuxBoard(const Options &options, const NodeSettings &settings) : controller_(settings.controller) {
    if (!options.store.empty()) programmer_ = std::make_unique<FpgaManager>(options.fpga, options.firmware, options.store);
    buffers_ = open_buffers(options, settings);
    if (!options.interrupts.empty()) open_interrupts(options, settings);
    open_registers(options, settings);
}

// Of /dev/mem or the like, or of devices of UIO with commas between.
void LinuxBoard::open_registers(const Options &options, const NodeSettings &settings) {
    registers_ = options.registers;
    if (is_uio(registers_.substr(0, registers_.find(',')))) {
        std::vector<std::string> devices;
        std::istringstream text(registers_);
        for (std::string device; std::getline(text, device, ',');) devices.push_back(device);
        maps_ = std::make_unique<UioMaps>(devices, options.sysfs);
    }
    open_window("node " + settings.name, settings.base, settings.span, settings.slot_bytes);
    for (const auto &unit : settings.units)
        if (unit.ip.empty()) open_window("a unit of node " + settings.name, unit.base, unit.size);
    for (const auto &dma : settings.dmas) open_window(dma.name, dma.base, dma.size);
    if (uio_ && controller_) open_window("the interrupt controller", controller_->base, controller_->size);
}

void LinuxBoard::open_window(const std::string &what, std::uint64_t base, std::uint64_t bytes, unsigned slot_bytes) {
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const auto place = maps_ ? maps_->place(base, bytes, what) : UioMaps::Place{registers_, base / page * page, base / page * page};
    const auto length = base - place.first + bytes;
    struct stat about {};  // an access behind the end of a file would end the program
    if (!stat(place.device.c_str(), &about) && S_ISREG(about.st_mode) && static_cast<std::uint64_t>(about.st_size) < place.offset + length)
        throw InputError(place.device + ": it ends before " + formatted("%#llx", place.offset + length) + ", where registers of the map are");
    Mapping found(place.device, place.offset, length, maps_ ? "the udev rules of host/systemd let a group open it" : "the program must run as root there");
    volatile auto *const at = found.at() + (base - place.first);
    windows_.push_back({std::move(found), base, bytes, at, slot_bytes});
}

void LinuxBoard::open_interrupts(const Options &options, const NodeSettings &settings) {
    std::set<unsigned> lines;
    for (const auto &dma : settings.dmas) lines.insert(dma.lines.begin(), dma.lines.end());
    if (lines.size() != options.interrupts.size()) {
        std::string known;
        for (const auto line : lines) known += (known.empty() ? ": ID " : ", ") + std::to_string(line);
        throw InputError("--interrupt: it is given " + std::to_string(options.interrupts.size()) + " times, and the DMAs of node " +
                         settings.name + " have " + std::to_string(lines.size()) + " interrupts at the processor" + known +
                         "; give it once for each");
    }
    uio_ = std::make_unique<Uio>(options.interrupts, options.sysfs);
}

// Each bitstream that is loaded forgets it.
void LinuxBoard::enable() {
    if (!uio_ || !controller_) return;
    write(controller_->base + kEnable, inputs_of(*controller_));
    write(controller_->base + kMaster, kAll);
}

void LinuxBoard::rearm() {
    if (controller_) write(controller_->base + kServed, inputs_of(*controller_));
    uio_->rearm();
}

const LinuxBoard::Window &LinuxBoard::window_of(std::uint64_t address) const {
    for (const auto &window : windows_)
        if (address - window.base < window.bytes && !(address % window.slot_bytes)) return window;
    throw BoardError("there is no window for address " + std::to_string(address));
}

std::uint32_t LinuxBoard::read(std::uint64_t address) {
    const auto &window = window_of(address);
    auto *at = window.at + (address - window.base);
    if (window.slot_bytes == 8) return static_cast<std::uint32_t>(*reinterpret_cast<volatile std::uint64_t *>(at));
    return *reinterpret_cast<volatile std::uint32_t *>(at);
}

void LinuxBoard::write(std::uint64_t address, std::uint32_t value) {
    const auto &window = window_of(address);
    auto *at = window.at + (address - window.base);
    if (window.slot_bytes == 8) *reinterpret_cast<volatile std::uint64_t *>(at) = value;
    else *reinterpret_cast<volatile std::uint32_t *>(at) = value;
}

}  // namespace shellgen
