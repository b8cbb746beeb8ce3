// SPDX-License-Identifier: BSD-3-Clause
// Stands for XRT's header of this name, as far as the host's programs use it: of a bank 64 KiB may be held, and
// addresses follow one upon another, from bank * 4 GiB on. The file host_mem of a card has the number of the host's bank and
// how much of it may be held; without the file there is none.
#pragma once
#include "xrt_device.h"

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>

using xrtMemoryGroup = uint32_t;
enum xclBOSyncDirection { XCL_BO_SYNC_BO_TO_DEVICE = 0, XCL_BO_SYNC_BO_FROM_DEVICE };

namespace stand_in {
struct bank {
    uint64_t next = 0, held = 0;
};
inline std::map<std::string, bank> banks;
} // namespace stand_in

namespace xrt {
using memory_group = xrtMemoryGroup;

class bo {
    struct piece {
        stand_in::bank &of;
        uint64_t address, size;
        piece(stand_in::bank &from, uint64_t base, uint64_t bytes) : of(from), address(base + from.next), size(bytes)
        {
            of.next += size;
            of.held += size;
        }
        piece(const piece &) = delete;
        ~piece() { of.held -= size; }
    };
    std::shared_ptr<piece> own_;

public:
    enum class flags : uint32_t { normal = 0, device_only = 1U << 28, host_only = 1U << 29 };

    bo() = default;
    bo(const device &on, size_t size, flags flag, memory_group group)
    {
        auto &bank = stand_in::banks[on.folder() + "/" + std::to_string(group)];
        memory_group host = UINT32_MAX;
        uint64_t most = 0x10000;
        std::ifstream(on.folder() + "/host_mem") >> host >> most;
        const bool there = group == host;
        if (flag != (there ? flags::host_only : flags::device_only) || bank.held + size > (there ? most : 0x10000))
            throw std::runtime_error("failed to allocate bo: Cannot allocate memory");
        own_ = std::make_shared<piece>(bank, static_cast<uint64_t>(group) << 32, size);
    }
    bo(const device &on, void *, size_t size, flags flag, memory_group group) : bo(on, size, flag, group) {}
    void sync(xclBOSyncDirection, size_t, size_t) {}
    uint64_t address() const { return own_->address; }
};
} // namespace xrt
