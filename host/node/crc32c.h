// SPDX-License-Identifier: BSD-3-Clause
// CRC-32C (RFC 3720), by the processor's instruction where there is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shellgen {

// Continues a CRC-32C over further bytes; begin with 0.
std::uint32_t crc32c(std::uint32_t before, const void *data, std::size_t bytes);

inline std::uint32_t crc32c(std::string_view text) { return crc32c(0, text.data(), text.size()); }

}  // namespace shellgen
