// SPDX-License-Identifier: BSD-3-Clause
// Text from a peer or a file, before it goes to a terminal or into a message.
#pragma once

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

}  // namespace shellgen
