// SPDX-License-Identifier: BSD-3-Clause
// Stands for XRT's header of this name in a rehearsal.
#pragma once
#include "card_model.h"
#include "xrt_uuid.h"

#include <stdexcept>

namespace xrt_model {
// VNx's movers take two beats ahead, and set TLAST after 22.
inline std::shared_ptr<card_model::Card> card(const std::string &name) {
    static const auto only = std::make_shared<card_model::Card>(card_model::Kind{"xclbin of shellgen rehearse", 2, 22 * card_model::kBeat});
    if (name != "0" && name != "0000:65:00.1") throw std::runtime_error("Could not open device with index '" + name + "'");
    return only;
}
}  // namespace xrt_model

namespace xrt {
class device {
public:
    device() = default;
    explicit device(unsigned index) : device(std::to_string(index)) {}
    explicit device(const std::string &bdf) : card(xrt_model::card(bdf)) {}
    [[deprecated("deprecated, please use hw_context() instead")]] uuid load_xclbin(const std::string &file) {
        card->load(file);
        return uuid(file);
    }

    std::shared_ptr<card_model::Card> card;
};
}  // namespace xrt
