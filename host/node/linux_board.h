// SPDX-License-Identifier: BSD-3-Clause
// A board under Linux: registers by /dev/mem, buffers by u-dma-buf, interrupts by UIO if their devices are given.
#pragma once

#include <memory>
#include <vector>

#include "board.h"
#include "fpga_manager.h"
#include "settings.h"
#include "uio.h"

namespace shellgen {

class LinuxBoard : public Board, private Registers, private Buffers {
public:
    LinuxBoard(const Options &options, const NodeSettings &settings);
    ~LinuxBoard() override;

    Registers &registers() override { return *this; }
    Buffers &buffers() override { return *this; }
    Programmer *programmer() override { return programmer_.get(); }
    int event() override { return uio_ ? uio_->event() : -1; }
    void acknowledge() override { uio_->take(); }
    void rearm() override;
    void enable() override;

private:
    struct Window {
        std::uint64_t base = 0, bytes = 0;
        volatile std::uint32_t *at = nullptr;
    };

    std::uint32_t read(std::uint64_t address) override;
    void write(std::uint64_t address, std::uint32_t value) override;
    Buffer take(std::size_t bytes) override;
    void taken() override;
    void flush(const Buffer &, std::size_t) override;
    void invalidate(const Buffer &, std::size_t) override;
    volatile std::uint32_t *at(std::uint64_t address);
    void open_window(const std::string &device, std::uint64_t base, std::uint64_t bytes);
    void open_buffers(const Options &options, const NodeSettings &settings);
    void open_interrupts(const Options &options, const NodeSettings &settings);

    const std::optional<ControllerSettings> controller_;
    std::unique_ptr<FpgaManager> programmer_;  // with --store
    std::unique_ptr<Uio> uio_;                 // with --interrupt
    std::vector<Window> windows_;
    std::string device_;
    std::uint8_t *memory_ = nullptr;
    std::uint64_t address_ = 0, bytes_ = 0, used_ = 0;
    std::vector<std::vector<std::uint8_t>> missing_;  // what stands for buffers without room
};

}  // namespace shellgen
