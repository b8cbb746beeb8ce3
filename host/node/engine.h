// SPDX-License-Identifier: BSD-3-Clause
// What moves frames between memory and the pins of a core: AXI DMAs of a board, or the kernels of a card.
#pragma once

#include <functional>
#include <memory>

#include "board.h"

namespace shellgen {

class Core;

// One stream, a transfer of one frame at a time.
class Port {
public:
    virtual ~Port() = default;
    // Begins a transfer; the one before must be over.
    virtual void start(const Buffer &buffer) = 0;
    // Tells whether the transfer is over. Throws BoardError if it failed.
    virtual bool finished() = 0;
    // Bytes of the frame that a finished transfer to memory has brought.
    virtual std::uint32_t moved() = 0;
};

class Engine {
public:
    virtual ~Engine() = default;
    // Null for a stream that does not pass the host.
    virtual Port *port(unsigned stream) = 0;
    // Memory for the frames of a stream.
    virtual Buffers &buffers(unsigned stream) = 0;
    // Leaves nothing in the core nor in the ports, whatever was under way; then frames may come. `held` is called while
    // partitions and links are in reset. Throws BoardError.
    virtual void begin(Core &core, const std::function<void()> &held) = 0;
    // The same in two parts, for a core that hardware joins to others: from the first to the second, the core is in reset, and so
    // nothing of it goes to them. Throw BoardError.
    virtual void hold(Core &core, const std::function<void()> &held);
    virtual void release(Core &core);
    // Throws BoardError if something has failed that no port tells.
    virtual void verify() {}
    // Brings all ports to rest, since the core is about to go. Throws BoardError.
    virtual void detach(Core &core, const std::function<void()> &held) = 0;
};

}  // namespace shellgen
