// SPDX-License-Identifier: BSD-3-Clause
// CRC-32C (RFC 3720), by the processor's instruction where there is one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shellgen {

// Continues a CRC-32C over further bytes; begin with 0.
std::uint32_t crc32c(std::uint32_t before, const void *data, std::size_t bytes);

// The CRC-32C of two pieces from that of each, where the second has a fixed number of bytes.
class Crc32cBehind {
public:
    explicit Crc32cBehind(std::uint64_t bytes);
    std::uint32_t operator()(std::uint32_t first, std::uint32_t second) const;

private:
    std::array<std::array<std::uint32_t, 256>, 4> tables_{};  // what so many zero bytes make of each byte
};

inline std::uint32_t crc32c(std::string_view text) { return crc32c(0, text.data(), text.size()); }

}  // namespace shellgen
