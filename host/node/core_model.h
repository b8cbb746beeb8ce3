// SPDX-License-Identifier: BSD-3-Clause
// A core in a simulator: its pins, its clock, and accesses to its registers. Boards of a rehearsal move the pins.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core_library.h"

namespace shellgen {

// The pins of one AXI4-Stream port.
struct StreamPins {
    std::uint8_t *data = nullptr, *keep = nullptr, *last = nullptr, *valid = nullptr, *ready = nullptr;
    unsigned bytes = 0;
};

// Sets a pin of up to 32 bits.
void set_pin(std::uint8_t *pin, std::uint32_t value, unsigned bytes = 1);

class CoreModel {
public:
    // A cycle in which all pins move on: calls settle() and edge() once each.
    using Cycle = std::function<void()>;

    // `name`: of the node, for messages.
    explicit CoreModel(std::string name) : name_(std::move(name)) {}
    CoreModel(const CoreModel &) = delete;
    ~CoreModel() { unload(); }

    // Throws InputError if the file is no core.
    void load(const std::string &library);
    void unload();
    bool loaded() const { return core_; }
    void reset(const Cycle &cycle);
    // Throws InputError if there is no such pin, BoardError if there is no core.
    std::uint8_t *pin(const std::string &name, unsigned *bits = nullptr);
    StreamPins stream_pins(const std::string &port);
    // Reads or writes a register. Throws BoardError if it is not answered, or with an error.
    std::uint32_t access(bool writes, std::uint64_t offset, std::uint32_t value, const Cycle &cycle);
    // Computes the outputs from the inputs.
    void settle() { eval_(core_); }
    // An edge of the clock, after settle().
    void edge();

private:
    std::string name_;
    void *library_ = nullptr, *core_ = nullptr;
    const shellgen_pin *pins_ = nullptr;
    void (*eval_)(void *) = nullptr;
    void (*end_)(void *) = nullptr;
    std::uint8_t *aclk_ = nullptr, *aclk2x_ = nullptr;
};

}  // namespace shellgen
