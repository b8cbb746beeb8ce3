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

std::uint64_t sysfs(const std::string &device, const char *name) {
    const auto base = device.substr(device.rfind('/') + 1);
    for (const char *folder : {"/sys/class/u-dma-buf/", "/sys/class/udmabuf/"}) {
        std::ifstream file(folder + base + "/" + name);
        std::string text;
        if (file >> text) return std::stoull(text, nullptr, 0);
    }
    throw InputError(device + ": it is no buffer of u-dma-buf; load the module, such as insmod u-dma-buf.ko udmabuf0=16777216");
}

}  // namespace

LinuxBoard::LinuxBoard(const Options &options, const NodeSettings &settings) : device_(options.buffers) {
    if (!options.store.empty()) programmer_ = std::make_unique<FpgaManager>(options.fpga, options.firmware, options.store);
    open_buffers(options.buffers, settings);
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

void LinuxBoard::open_buffers(const std::string &device, const NodeSettings &settings) {
    address_ = sysfs(device, "phys_addr");
    bytes_ = sysfs(device, "size");
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
    if (used_ + room > bytes_)
        throw InputError(device_ + ": its " + std::to_string(bytes_) + " bytes are too few by at least " +
                         std::to_string(used_ + room - bytes_) + "; make it larger, or give --slots less");
    const Buffer found{memory_ + used_, address_ + used_, bytes};
    used_ += room;
    return found;
}

// The mapping has no cache: what is left is the order of accesses.
void LinuxBoard::flush(const Buffer &, std::size_t) { std::atomic_thread_fence(std::memory_order_seq_cst); }

void LinuxBoard::invalidate(const Buffer &, std::size_t) { std::atomic_thread_fence(std::memory_order_seq_cst); }

}  // namespace shellgen
