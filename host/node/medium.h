// SPDX-License-Identifier: BSD-3-Clause
// Networks and processors of boards, as a rehearsal holds connections to their pace.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace shellgen {

// Bytes of all streams go through a medium one after the other.
class Medium {
public:
    using Clock = std::chrono::steady_clock;

    // Returns when bytes are through that are there now and take so long.
    Clock::time_point pass(Clock::duration time) {
        const auto now = Clock::now();
        // Whoever waits for a time is woken a little later: what follows begins when the medium was free.
        free_ = std::max(free_, now - free_ < kWoken ? free_ : now) + time;
        return free_;
    }

private:
    static constexpr std::chrono::microseconds kWoken{500};
    Clock::time_point free_{};
};

// Media on the way of a stream, each of which passes on what it has got so far.
struct Way {
    struct Part {
        std::shared_ptr<Medium> medium;
        double ns_per_byte = 0;
    };
    std::vector<Part> parts;

    bool free() const { return parts.empty(); }
    Medium::Clock::time_point pass(std::size_t bytes) const {
        auto found = Medium::Clock::time_point::min();
        for (const auto &part : parts) {
            const std::chrono::nanoseconds time(static_cast<std::int64_t>(part.ns_per_byte * static_cast<double>(bytes)));
            found = std::max(found, part.medium->pass(time));
        }
        return found;
    }
};

}  // namespace shellgen
