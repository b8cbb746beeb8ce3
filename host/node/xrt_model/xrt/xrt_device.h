// SPDX-License-Identifier: BSD-3-Clause
// Stands for XRT's header of this name in a rehearsal.
#pragma once
#include "card_model.h"
#include "xrt_uuid.h"

namespace xrt {
class device {
public:
    device() = default;
    explicit device(unsigned index) : device(std::to_string(index)) {}
    explicit device(const std::string &bdf) : card(xrt_model::Card::open(bdf)) {}
    [[deprecated("deprecated, please use hw_context() instead")]] uuid load_xclbin(const std::string &file) {
        card->load(file);
        return uuid(file);
    }

    std::shared_ptr<xrt_model::Card> card;
};
}  // namespace xrt
