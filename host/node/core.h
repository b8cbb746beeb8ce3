// SPDX-License-Identifier: BSD-3-Clause
// Status and control of the core that shellgen generated.
#pragma once

#include "board.h"
#include "protocol.h"
#include "settings.h"

namespace shellgen {

class Core {
public:
    Core(Registers &registers, const NodeSettings &settings) : registers_(registers), settings_(settings) {}

    // Whether hardware joins it to others.
    bool joined() const { return settings_.joined; }
    // Whether it deals frames to others, or gathers theirs.
    bool deals() const { return settings_.places; }
    // The build of the core. Throws BoardError if there is no core of shellgen.
    std::uint64_t build();
    // Throws BoardError unless the core is the one of the map.
    void check();
    // Puts partitions and links into reset; DMAs are to be reset meanwhile.
    void hold();
    // Lets what is under way come to its end, then resets partitions and links.
    void ask_reset();
    // Whether that is not yet done.
    bool resets();
    // In a reset: which replicas have no turn in what follows, and the number of the node. Throws BoardError if the core
    // has no such registers.
    void turns(const protocol::Epoch &order);
    // Frames per transfer from the next reset on, 1 otherwise.
    void transfers_of(std::uint32_t frames) { transfer_frames_ = frames; }
    // Ends the reset, and waits until all of the core is open again.
    void release();
    // Frames that have come or gone, of a stream, modulo 2**32.
    std::uint32_t frames(unsigned stream);
    // Clears what links have noted. Throws BoardError.
    void clear_flags();
    // Throws BoardError if the core has seen a framing error, or a link has noted that frames are lost.
    void verify();

private:
    void set_transfers();
    std::uint64_t address(const char *name, unsigned index = 0) const;

    Registers &registers_;
    const NodeSettings &settings_;
    std::set<std::string> noted_;  // of the epoch, that links were slow
    std::uint32_t transfer_frames_ = 1;
};

}  // namespace shellgen
