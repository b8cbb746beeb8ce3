// SPDX-License-Identifier: BSD-3-Clause
// Stands for XRT's header of this name in a rehearsal.
#pragma once
#include <string>

namespace xrt {
class uuid {
public:
    uuid() = default;
    explicit uuid(const std::string &text) : text_(text) {}

private:
    std::string text_;
};
}  // namespace xrt
