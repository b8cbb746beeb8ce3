// SPDX-License-Identifier: BSD-3-Clause
// Stands for XRT's header of this name in a rehearsal.
#pragma once
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "xrt_device.h"

enum xclBOSyncDirection { XCL_BO_SYNC_BO_TO_DEVICE = 0, XCL_BO_SYNC_BO_FROM_DEVICE };
using xrtMemoryGroup = std::uint32_t;

namespace xrt_model {
constexpr xrtMemoryGroup kBank = 3;  // of all buffers

// A buffer: what the host sees of it, and what lies in the card.
struct Memory {
    std::uint8_t *host = nullptr;
    std::vector<std::uint8_t> card;
};
}  // namespace xrt_model

namespace xrt {
class bo {
public:
    enum class flags : std::uint32_t { normal = 0, device_only = 1U << 28, host_only = 1U << 29 };

    bo() = default;
    bo(const device &, void *host, std::size_t size, flags, xrtMemoryGroup group) : memory(std::make_shared<xrt_model::Memory>()) {
        if (reinterpret_cast<std::uintptr_t>(host) % 4096) throw std::runtime_error("userptr is not aligned");
        if (group != xrt_model::kBank) throw std::runtime_error("failed to allocate bo: Invalid argument");
        memory->host = static_cast<std::uint8_t *>(host);
        memory->card.assign(size, 0x5a);
    }
    void sync(xclBOSyncDirection direction, std::size_t size, std::size_t offset) {
        if (!memory || offset + size > memory->card.size()) throw std::runtime_error("sync outside of the buffer");
        auto *card = memory->card.data() + offset, *host = memory->host + offset;
        if (direction == XCL_BO_SYNC_BO_TO_DEVICE) std::memcpy(card, host, size);
        else std::memcpy(host, card, size);
    }

    std::shared_ptr<xrt_model::Memory> memory;
};
}  // namespace xrt
