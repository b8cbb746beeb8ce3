// SPDX-License-Identifier: BSD-3-Clause
// Text from a peer or a file, before it goes to a terminal or into a message.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace shellgen {

// The text with a question mark for everything that is no printable ASCII: a terminal obeys none of it.
inline std::string printable(std::string_view text) {
    std::string found(text);
    for (auto &letter : found)
        if (letter < 32 || letter > 126) letter = '?';
    return found;
}

// A number by a format of printf with one `%llx` or the like, such as "; DMASR is %#llx".
inline std::string formatted(const char *format, std::uint64_t value) {
    char found[96];
    std::snprintf(found, sizeof found, format, static_cast<unsigned long long>(value));
    return found;
}

}  // namespace shellgen
