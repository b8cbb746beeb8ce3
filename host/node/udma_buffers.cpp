// SPDX-License-Identifier: BSD-3-Clause
#include "udma_buffers.h"

#include <atomic>
#include <fstream>

namespace shellgen {
namespace {

std::uint64_t sysfs(const Options &options, const char *name) {
    const auto &device = options.buffers;
    const auto base = device.substr(device.rfind('/') + 1);
    for (const char *folder : {"/class/u-dma-buf/", "/class/udmabuf/"}) {
        std::ifstream file(options.sysfs + folder + base + "/" + name);
        std::string text;
        if (file >> text) return std::stoull(text, nullptr, 0);
    }
    throw InputError(device + ": it is no buffer of u-dma-buf; load the module, such as insmod u-dma-buf.ko udmabuf0=16777216, or "
                              "give --buffers zocl where XRT has memory, as on PYNQ");
}

}  // namespace

void check_reach(const std::string &device, const NodeSettings &settings, std::uint64_t address, std::uint64_t bytes) {
    for (const auto &dma : settings.dmas) {
        bool reached = false;
        for (const auto &range : dma.memory)
            reached |= address >= range.base && bytes <= range.size && address - range.base <= range.size - bytes;
        if (!reached) throw InputError(device + ": " + dma.name + " does not reach its memory; let it lie elsewhere");
    }
}

UdmaBuffers::UdmaBuffers(const Options &options, const NodeSettings &settings) : device_(options.buffers) {
    address_ = sysfs(options, "phys_addr");
    bytes_ = sysfs(options, "size");
    check_reach(device_, settings, address_, bytes_);
    memory_ = Mapping(device_, 0, bytes_, "is the module loaded, and may you open it?");
}

Buffer UdmaBuffers::take(std::size_t bytes) {
    const auto room = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
    const auto at = used_;
    used_ += room;
    if (used_ <= bytes_) return {memory_.at() + at, address_ + at, bytes};
    missing_.emplace_back(bytes);  // until `taken`, which knows how many are missing
    return {missing_.back().data(), address_, bytes};
}

void UdmaBuffers::taken() {
    if (used_ > bytes_)
        throw InputError(device_ + ": its " + std::to_string(bytes_) + " bytes are too few by " + std::to_string(used_ - bytes_) +
                         "; load u-dma-buf with " + device_.substr(device_.rfind('/') + 1) + "=" + std::to_string(used_) +
                         " or more, or have fewer frames in it (--slots of shellgen-node)");
}

void UdmaBuffers::give_back() {
    used_ = 0;
    missing_.clear();
}

void UdmaBuffers::flush(const Buffer &, std::size_t) { std::atomic_thread_fence(std::memory_order_seq_cst); }

void UdmaBuffers::invalidate(const Buffer &, std::size_t) { std::atomic_thread_fence(std::memory_order_seq_cst); }

}  // namespace shellgen
