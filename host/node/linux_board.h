// SPDX-License-Identifier: BSD-3-Clause
// A board under Linux: registers by /dev/mem or UIO, buffers by u-dma-buf or zocl, interrupts by UIO if their devices are given.
#pragma once

#include <memory>
#include <vector>

#include "board.h"
#include "fpga_manager.h"
#include "mapping.h"
#include "settings.h"
#include "uio.h"
#include "uio_maps.h"

namespace shellgen {

class LinuxBoard : public Board, private Registers {
public:
    LinuxBoard(const Options &options, const NodeSettings &settings);

    Registers &registers() override { return *this; }
    Buffers &buffers() override { return *buffers_; }
    Programmer *programmer() override { return programmer_.get(); }
    int event() override { return uio_ ? uio_->event() : -1; }
    void acknowledge() override { uio_->take(); }
    void rearm() override;
    void enable() override;

private:
    struct Window {
        Mapping mapping;
        std::uint64_t base = 0, bytes = 0;
        volatile std::uint8_t *at = nullptr;  // of `base`
        unsigned slot_bytes = 4;              // of an access
    };

    std::uint32_t read(std::uint64_t address) override;
    void write(std::uint64_t address, std::uint32_t value) override;
    const Window &window_of(std::uint64_t address) const;
    void open_registers(const Options &options, const NodeSettings &settings);
    void open_window(const std::string &what, std::uint64_t base, std::uint64_t bytes, unsigned slot_bytes = 4);
    void open_interrupts(const Options &options, const NodeSettings &settings);

    const std::optional<ControllerSettings> controller_;
    std::unique_ptr<FpgaManager> programmer_;  // with --store
    std::unique_ptr<Buffers> buffers_;
    std::unique_ptr<Uio> uio_;  // with --interrupt
    std::string registers_;     // the device with all addresses
    std::unique_ptr<UioMaps> maps_;  // instead of it
    std::vector<Window> windows_;
};

}  // namespace shellgen
