// SPDX-License-Identifier: BSD-3-Clause
#include "linux_board.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace shellgen {
namespace {

constexpr std::uint64_t kLine = 64;  // bytes of the longest cache line, on Cortex-A53
// Registers of the AXI interrupt controller (PG099): interrupts that pass, that have been served, and that all of them pass.
constexpr std::uint64_t kEnable = 0x08, kServed = 0x0C, kMaster = 0x1C;
constexpr std::uint32_t kAll = 3;  // of kMaster: to the processor, from the inputs

std::uint32_t inputs_of(const ControllerSettings &controller) { return static_cast<std::uint32_t>((std::uint64_t{1} << controller.inputs) - 1); }

// Maps a device. Without a cache, so that processor and DMA see the same.
void *map(const std::string &device, std::uint64_t offset, std::uint64_t bytes, const char *remedy) {
    const int file = open(device.c_str(), O_RDWR | O_SYNC | O_CLOEXEC);
    if (file < 0) throw InputError(device + ": " + std::strerror(errno) + "; " + remedy);
    void *found = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
    const int error = errno;
    close(file);
    if (found == MAP_FAILED)
        throw InputError(device + ": " + std::to_string(bytes) + " bytes cannot be mapped: " + std::strerror(error));
    return found;
}

std::uint64_t sysfs(const Options &options, const char *name) {
    const auto &device = options.buffers;
    const auto base = device.substr(device.rfind('/') + 1);
    for (const char *folder : {"/class/u-dma-buf/", "/class/udmabuf/"}) {
        std::ifstream file(options.sysfs + folder + base + "/" + name);
        std::string text;
        if (file >> text) return std::stoull(text, nullptr, 0);
    }
    throw InputError(device + ": it is no buffer of u-dma-buf; load the module, such as insmod u-dma-buf.ko udmabuf0=16777216");
}

}  // namespace

LinuxBoard::LinuxBoard(const Options &options, const NodeSettings &settings)
    : controller_(settings.controller), device_(options.buffers) {
    if (!options.store.empty()) programmer_ = std::make_unique<FpgaManager>(options.fpga, options.firmware, options.store);
    open_buffers(options, settings);
    if (!options.interrupts.empty()) open_interrupts(options, settings);
    open_window(options.registers, settings.base, settings.span);
    for (const auto &dma : settings.dmas) open_window(options.registers, dma.base, dma.size);
}

LinuxBoard::~LinuxBoard() {
    for (const auto &window : windows_) munmap(const_cast<std::uint32_t *>(window.at), window.bytes);
    if (memory_) munmap(memory_, bytes_);
}

void LinuxBoard::open_window(const std::string &device, std::uint64_t base, std::uint64_t bytes) {
    void *found = map(device, base, bytes, "shellgen-node must run as root there");
    windows_.push_back({base, bytes, static_cast<volatile std::uint32_t *>(found)});
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
    if (controller_) open_window(options.registers, controller_->base, controller_->size);
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

void LinuxBoard::open_buffers(const Options &options, const NodeSettings &settings) {
    const auto &device = options.buffers;
    address_ = sysfs(options, "phys_addr");
    bytes_ = sysfs(options, "size");
    for (const auto &dma : settings.dmas) {
        bool reached = false;
        for (const auto &range : dma.memory)
            reached |= address_ >= range.base && address_ - range.base + bytes_ <= range.size;
        if (!reached) throw InputError(device + ": " + dma.name + " does not reach its memory; let it lie elsewhere");
    }
    memory_ = static_cast<std::uint8_t *>(map(device, 0, bytes_, "is the module loaded, and may you open it?"));
}

volatile std::uint32_t *LinuxBoard::at(std::uint64_t address) {
    for (const auto &window : windows_)
        if (address - window.base < window.bytes) return window.at + (address - window.base) / 4;
    throw BoardError("there is no window for address " + std::to_string(address));
}

std::uint32_t LinuxBoard::read(std::uint64_t address) { return *at(address); }

void LinuxBoard::write(std::uint64_t address, std::uint32_t value) { *at(address) = value; }

Buffer LinuxBoard::take(std::size_t bytes) {
    const auto room = (bytes + kLine - 1) / kLine * kLine;
    const auto at = used_;
    used_ += room;
    if (used_ <= bytes_) return {memory_ + at, address_ + at, bytes};
    missing_.emplace_back(bytes);  // until `taken`, which knows how many are missing
    return {missing_.back().data(), address_, bytes};
}

void LinuxBoard::taken() {
    if (used_ > bytes_)
        throw InputError(device_ + ": its " + std::to_string(bytes_) + " bytes are too few by " + std::to_string(used_ - bytes_) +
                         "; load u-dma-buf with " + device_.substr(device_.rfind('/') + 1) + "=" + std::to_string(used_) +
                         " or more, or give --slots less");
}

// The mapping has no cache: what is left is the order of accesses.
void LinuxBoard::flush(const Buffer &, std::size_t) { std::atomic_thread_fence(std::memory_order_seq_cst); }

void LinuxBoard::invalidate(const Buffer &, std::size_t) { std::atomic_thread_fence(std::memory_order_seq_cst); }

}  // namespace shellgen
