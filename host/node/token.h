// SPDX-License-Identifier: BSD-3-Clause
// Tokens of data connections: each is good for one connection of one boundary in one epoch.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>

namespace shellgen {

using Secret = std::array<std::uint8_t, 32>;

// Whether two are equal; how long it takes tells nothing about them.
bool same(const Secret &one, const Secret &other);

// The token of the connection with this number: the number, and an HMAC-SHA-256 of all of these with the key.
Secret one_time_token(const Secret &key, std::uint8_t role, std::uint32_t edge, std::uint32_t epoch, std::uint64_t number);

// What a node has accepted in an epoch.
class TokenGate {
public:
    void begin(const Secret &key, std::uint32_t epoch);
    // False before an epoch with a key.
    bool has_key() const { return key_ != Secret{}; }
    // Takes a token if it is right and newer than all before it.
    bool take(const Secret &token, std::uint8_t role, std::uint32_t edge);

private:
    Secret key_{};
    std::uint32_t epoch_ = 0;
    std::map<std::pair<std::uint8_t, std::uint32_t>, std::uint64_t> last_;  // at most one entry for each stream
};

}  // namespace shellgen
