// SPDX-License-Identifier: BSD-3-Clause
// Who takes the frames of a sender's ring, at a pace of its own.
#pragma once

#include <cstdint>

#include "token.h"

namespace shellgen {

class Taker {
public:
    virtual ~Taker() = default;
    // Begins an epoch. Data connections have tokens of this key, unless it is zero. Throws BoardError.
    virtual void begin(std::uint32_t epoch, std::uint64_t first, const Secret &key) = 0;
    virtual void close() = 0;
    virtual std::uint64_t acknowledged() const = 0;  // frames of the epoch
    // Sends what there is.
    virtual void send() = 0;
};

}  // namespace shellgen
