// SPDX-License-Identifier: BSD-3-Clause
// Stands for XRT's header of this name, as far as the host's programs use it.
#pragma once
#include <string>

namespace xrt {
class uuid {
public:
    uuid() = default;
    explicit uuid(const std::string &text) : text_(text) {}
    std::string to_string() const { return text_; }

private:
    std::string text_;
};
} // namespace xrt
