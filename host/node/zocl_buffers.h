// SPDX-License-Identifier: BSD-3-Clause
// Memory of XRT's driver zocl, which PYNQ images have in place of u-dma-buf: pieces of the kernel's CMA, with a cache. The kernel takes
// them back when the program ends.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "board.h"
#include "mapping.h"
#include "settings.h"

namespace shellgen {

// Whether --buffers names it: zocl, or a device of DRM.
bool is_zocl(const std::string &buffers);

class ZoclBuffers : public Buffers {
public:
    ZoclBuffers(const Options &options, const NodeSettings &settings);
    ~ZoclBuffers() override;
    ZoclBuffers(const ZoclBuffers &) = delete;
    ZoclBuffers &operator=(const ZoclBuffers &) = delete;

    Buffer take(std::size_t bytes) override;
    void taken() override;
    void give_back() override;
    void flush(const Buffer &buffer, std::size_t bytes) override;
    void invalidate(const Buffer &buffer, std::size_t bytes) override;

private:
    // A buffer object of the driver.
    struct Piece {
        std::uint32_t handle = 0;
        std::uint64_t address = 0, bytes = 0, used = 0;
        Mapping memory;
    };

    bool add(std::uint64_t bytes);
    void sync(const Buffer &buffer, std::size_t bytes, std::uint32_t direction);

    const NodeSettings &settings_;
    std::string device_;
    int file_ = -1;
    std::map<std::uint8_t *, Piece> pieces_;          // by where they lie
    std::vector<std::vector<std::uint8_t>> missing_;  // what stands for buffers without room
    std::uint64_t wanted_ = 0, lacking_ = 0;
};

}  // namespace shellgen
