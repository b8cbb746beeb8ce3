// SPDX-License-Identifier: BSD-3-Clause
// A board under Linux: registers by /dev/mem, buffers by u-dma-buf. It is polled.
#pragma once

#include <memory>
#include <vector>

#include "board.h"
#include "fpga_manager.h"
#include "settings.h"

namespace shellgen {

class LinuxBoard : public Board, private Registers, private Buffers {
public:
    LinuxBoard(const Options &options, const NodeSettings &settings);
    ~LinuxBoard() override;

    Registers &registers() override { return *this; }
    Buffers &buffers() override { return *this; }
    Programmer *programmer() override { return programmer_.get(); }

private:
    struct Window {
        std::uint64_t base = 0, bytes = 0;
        volatile std::uint32_t *at = nullptr;
    };

    std::uint32_t read(std::uint64_t address) override;
    void write(std::uint64_t address, std::uint32_t value) override;
    Buffer take(std::size_t bytes) override;
    void flush(const Buffer &, std::size_t) override;
    void invalidate(const Buffer &, std::size_t) override;
    volatile std::uint32_t *at(std::uint64_t address);
    void open_window(const std::string &device, std::uint64_t base, std::uint64_t bytes);
    void open_buffers(const std::string &device, const NodeSettings &settings);

    std::unique_ptr<FpgaManager> programmer_;  // with --store
    std::vector<Window> windows_;
    std::string device_;
    std::uint8_t *memory_ = nullptr;
    std::uint64_t address_ = 0, bytes_ = 0, used_ = 0;
};

}  // namespace shellgen
