// SPDX-License-Identifier: BSD-3-Clause
// What a board offers: registers, memory that DMAs reach, and a sign when a transfer has ended. The code above
// these interfaces is the same on a board and in a rehearsal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace shellgen {

// The core, a DMA or a driver does not do what it must. A new epoch, which resets both, may help.
struct BoardError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// An access to a register was answered with an error.
struct AccessError : BoardError {
    using BoardError::BoardError;
};

class Engine;
struct NodeSettings;
struct RingSettings;

class Registers {
public:
    virtual ~Registers() = default;
    virtual std::uint32_t read(std::uint64_t address) = 0;
    virtual void write(std::uint64_t address, std::uint32_t value) = 0;
};

// A piece of memory: `data` for the processor, `address` for a DMA.
struct Buffer {
    std::uint8_t *data = nullptr;
    std::uint64_t address = 0;
    std::size_t bytes = 0;
};

class Buffers {
public:
    virtual ~Buffers() = default;
    // A buffer remains until all are given back.
    virtual Buffer take(std::size_t bytes) = 0;
    // Called when all have been taken. Throws InputError if there was no room for them.
    virtual void taken() {}
    // All buffers are free again, and nothing uses them any more. The server takes them at its start, once for all.
    virtual void give_back() {}
    // What the processor has written reaches the memory.
    virtual void flush(const Buffer &buffer, std::size_t bytes) = 0;
    // What a DMA has written is what the processor reads.
    virtual void invalidate(const Buffer &buffer, std::size_t bytes) = 0;
};

// Puts bitstreams into the PL.
class Programmer {
public:
    virtual ~Programmer() = default;
    // Whether there is one, so that registers answer. Without, an access may hang the processor.
    virtual bool programmed() = 0;
    // Blocks until it is done, from any thread; no DMA may run meanwhile. Throws BoardError.
    virtual void program(const std::string &path) = 0;
};

class Board {
public:
    virtual ~Board() = default;
    virtual Registers &registers() = 0;
    virtual Buffers &buffers() = 0;
    // Memory for a stream that the core keeps there by itself, where it reaches it. Throws InputError or BoardError if there is none.
    virtual Buffer ring(const RingSettings &ring);
    // What moves the frames: AXI DMAs, unless the board has something else. Called once, by the node.
    virtual std::unique_ptr<Engine> engine(const NodeSettings &settings);
    // Null where bitstreams are loaded by other means.
    virtual Programmer *programmer() { return nullptr; }
    // A descriptor that becomes readable when a transfer has ended; -1 if they must be polled.
    virtual int event() { return -1; }
    // Called when it was readable, before the transfers are looked at.
    virtual void acknowledge() {}
    // Called after that, when they have been looked at and their causes are gone: the next event may come.
    virtual void rearm() {}
    // Called when an epoch begins: the registers of the DMAs' interrupts are there now.
    virtual void enable() {}
};

}  // namespace shellgen
