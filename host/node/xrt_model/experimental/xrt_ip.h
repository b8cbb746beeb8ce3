// SPDX-License-Identifier: BSD-3-Clause
// Stands for XRT's header of this name in a rehearsal.
#pragma once
#include <xrt/xrt_kernel.h>

namespace xrt {
class ip {
public:
    ip() = default;
    ip(const device &on, const uuid &, const std::string &name) : opened_(std::make_shared<xrt_model::Opened>(on.card, name, true)) {}
    std::uint32_t read_register(std::uint32_t offset) const { return opened_->card->access(opened_->name, false, offset, 0); }
    void write_register(std::uint32_t offset, std::uint32_t value) { opened_->card->access(opened_->name, true, offset, value); }

private:
    std::shared_ptr<xrt_model::Opened> opened_;
};
}  // namespace xrt
