// SPDX-License-Identifier: BSD-3-Clause
// Frames that have left the core, each until its last consumer has acknowledged it.
#pragma once

#include <vector>

#include "board.h"
#include "crc32c.h"
#include "places.h"

namespace shellgen {

struct Ring {
    struct Slot {
        Buffer buffer;
        std::uint32_t crc = 0;  // of the frame
        bool summed = false;
    };

    Ring(Buffers &buffers, unsigned count, std::uint32_t bytes) : slots(count), places(count), behind(bytes), frame_bytes(bytes) {
        for (auto &slot : slots) slot.buffer = buffers.take(bytes);
    }
    Slot &of(std::uint64_t frame) { return slots[places.of(frame)]; }
    // The checksum of a frame, which is computed once for all consumers.
    std::uint32_t sum(std::uint64_t frame) {
        auto &slot = of(frame);
        if (!slot.summed) slot.crc = crc32c(0, slot.buffer.data, frame_bytes);
        slot.summed = true;
        return slot.crc;
    }

    std::vector<Slot> slots;
    Places places;
    Crc32cBehind behind;  // from the checksum of a header to that of the message
    std::uint32_t frame_bytes;
    std::uint64_t made = 0;  // frames of the epoch
};

}  // namespace shellgen
