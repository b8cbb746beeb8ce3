// SPDX-License-Identifier: BSD-3-Clause
// A model of the memory at an AXI4 master of a core. Bursts are of whole beats and increment, as those of a ring are.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "dma_model.h"

namespace shellgen {

class AxiModel {
public:
    using Pin = std::function<std::uint8_t *(const std::string &name, unsigned *bits)>;

    AxiModel(const std::string &port, const Pin &pin, ModelMemory &memory);

    // Sets the pins for the next cycle.
    void drive();
    // Looks at what is taken in this cycle. Returns whether something was.
    bool sample();

private:
    struct Burst {
        std::uint64_t address = 0, due = 0;
        unsigned beats = 0;
    };
    struct Channel {
        std::uint8_t *valid = nullptr, *ready = nullptr;
        bool fires() const { return *valid & *ready & 1; }
    };

    std::uint64_t address(const std::uint8_t *pin) const;
    Channel channel(const std::string &port, const Pin &pin, const char *name);
    void store();

    ModelMemory &memory_;
    Channel aw_, w_, b_, ar_, r_;
    std::uint8_t *aw_addr_, *aw_len_, *w_data_, *b_resp_, *ar_addr_, *ar_len_, *r_data_, *r_resp_, *r_last_;
    unsigned bytes_ = 0, addr_bytes_ = 0;
    std::uint64_t cycle_ = 0;
    std::deque<Burst> writes_, answers_, reads_;
    std::deque<std::vector<std::uint8_t>> beats_;
    unsigned sent_ = 0;  // beats of the first read
};

}  // namespace shellgen
