// SPDX-License-Identifier: BSD-3-Clause
// Registers and memory of the program that uses the library.
#pragma once

#include <map>

#include "../board.h"
#include "../settings.h"
#include "../shellgen_host.h"

namespace shellgen {

class OwnBoard : public Board, private Registers, private Buffers {
public:
    // Without memory, no frames can be moved. Throws InputError.
    OwnBoard(const NodeSettings &settings, const shellgen_host_registers &registers, const shellgen_host_memory *memory);
    ~OwnBoard() override;

    Registers &registers() override { return *this; }
    Buffers &buffers() override { return *this; }

private:
    std::uint32_t read(std::uint64_t address) override;
    void write(std::uint64_t address, std::uint32_t value) override;
    Buffer take(std::size_t bytes) override;
    void give_back() override;
    void flush(const Buffer &buffer, std::size_t) override;
    void invalidate(const Buffer &buffer, std::size_t) override;

    const NodeSettings &settings_;
    shellgen_host_registers own_;
    shellgen_host_memory memory_{};
    std::map<std::uint8_t *, shellgen_host_buffer> taken_;
};

}  // namespace shellgen
