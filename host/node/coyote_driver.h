// SPDX-License-Identifier: BSD-3-Clause
// What coyote_board.cpp needs of Coyote's library; coyote_v1.cpp and coyote_v2.cpp have it, each by the classes of its version, and
// CMake compiles the one that fits the checkout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace shellgen {

// A thread of a vFPGA (a process of Coyote v1) with memory of its own. All throw std::exception where Coyote refuses.
class CoyoteThread {
public:
    virtual ~CoyoteThread() = default;
    // Registers of 8 bytes by their number, in the window of the vFPGA. A write is posted.
    virtual std::uint32_t read(std::uint32_t index) = 0;
    virtual void write(std::uint32_t index, std::uint32_t value) = 0;
    // Memory as long as the thread lives: whole huge pages of 2 MiB, or ordinary ones. Null if there is none.
    virtual void *memory(std::size_t bytes, bool huge) = 0;
    // Begins a transfer by a host stream, to the core (`gives`) or from it, behind those that were begun before.
    virtual void begin(unsigned dest, bool gives, void *data, std::uint32_t bytes) = 0;
    // Transfers that way that have ended since the thread was made, modulo 2**32.
    virtual std::uint32_t ended(bool gives) = 0;
    // By which the core names its page table.
    virtual std::uint32_t number() = 0;
    // Moves memory that begins here to the card.
    virtual void offload(void *data) = 0;
};

// The version of Coyote that this program is for.
unsigned coyote_version();
std::unique_ptr<CoyoteThread> coyote_thread(unsigned card, unsigned region);

}  // namespace shellgen
