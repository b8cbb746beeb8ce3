// SPDX-License-Identifier: BSD-3-Clause
// Which buffer of a ring has which frame. The one that became free last is the next: it is still in the cache.
#pragma once

#include <cstdint>
#include <vector>

namespace shellgen {

class Places {
public:
    explicit Places(std::size_t count) : of_(count) { clear(); }

    std::size_t size() const { return of_.size(); }
    std::uint64_t room() const { return free_.size(); }
    void clear() {
        free_.clear();
        for (auto k = of_.size(); k; --k) free_.push_back(static_cast<std::uint32_t>(k - 1));
        first_ = last_ = 0;
    }
    // The buffer of a frame, which is no earlier than the oldest kept; frames get theirs in order.
    std::uint32_t of(std::uint64_t frame) {
        for (; last_ <= frame; ++last_) {
            of_[last_ % of_.size()] = free_.back();
            free_.pop_back();
        }
        return of_[frame % of_.size()];
    }
    // All frames before this one have left theirs.
    void release(std::uint64_t before) {
        for (; first_ < before; ++first_) free_.push_back(of_[first_ % of_.size()]);
    }

private:
    std::vector<std::uint32_t> of_, free_;
    std::uint64_t first_ = 0, last_ = 0;  // frames that have a buffer
};

}  // namespace shellgen
