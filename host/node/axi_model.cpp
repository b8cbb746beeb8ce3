// SPDX-License-Identifier: BSD-3-Clause
#include "axi_model.h"

#include <cstring>

namespace shellgen {
namespace {

constexpr unsigned kLatency = 40;                // cycles from an address, or the last beat, to the answer
constexpr std::uint8_t kOkay = 0, kDecodeError = 3;

}  // namespace

AxiModel::AxiModel(const std::string &port, const Pin &pin, ModelMemory &memory) : memory_(memory) {
    unsigned bits = 0;
    const auto at = [&](const char *name) { return pin(port + "_" + name, &bits); };
    aw_addr_ = at("awaddr");
    addr_bytes_ = (bits + 7) / 8;
    w_data_ = at("wdata");
    bytes_ = bits / 8;
    aw_len_ = at("awlen");
    b_resp_ = at("bresp");
    ar_addr_ = at("araddr");
    ar_len_ = at("arlen");
    r_data_ = at("rdata");
    r_resp_ = at("rresp");
    r_last_ = at("rlast");
    aw_ = channel(port, pin, "aw");
    w_ = channel(port, pin, "w");
    b_ = channel(port, pin, "b");
    ar_ = channel(port, pin, "ar");
    r_ = channel(port, pin, "r");
}

AxiModel::Channel AxiModel::channel(const std::string &port, const Pin &pin, const char *name) {
    return {pin(port + "_" + name + "valid", nullptr), pin(port + "_" + name + "ready", nullptr)};
}

std::uint64_t AxiModel::address(const std::uint8_t *pin) const {
    std::uint64_t found = 0;
    std::memcpy(&found, pin, addr_bytes_);
    return found;
}

void AxiModel::drive() {
    *aw_.ready = *w_.ready = *ar_.ready = 1;
    *b_.valid = !answers_.empty() && answers_.front().due <= cycle_;
    if (*b_.valid) *b_resp_ = memory_.device(answers_.front().address, answers_.front().beats * bytes_) ? kOkay : kDecodeError;
    *r_.valid = !reads_.empty() && reads_.front().due <= cycle_;
    if (!*r_.valid) return;
    const auto &burst = reads_.front();
    const auto *from = memory_.device(burst.address, burst.beats * bytes_);
    if (from) std::memcpy(r_data_, from + sent_ * bytes_, bytes_);
    else std::memset(r_data_, 0, bytes_);
    *r_resp_ = from ? kOkay : kDecodeError;
    *r_last_ = sent_ + 1 == burst.beats;
}

bool AxiModel::sample() {
    ++cycle_;
    const bool moved = aw_.fires() || w_.fires() || b_.fires() || ar_.fires() || r_.fires();
    if (aw_.fires()) writes_.push_back({address(aw_addr_), 0, *aw_len_ + 1u});
    if (w_.fires()) beats_.emplace_back(w_data_, w_data_ + bytes_);
    if (b_.fires()) answers_.pop_front();
    if (ar_.fires()) reads_.push_back({address(ar_addr_), cycle_ + kLatency, *ar_len_ + 1u});
    if (r_.fires() && ++sent_ == reads_.front().beats) {
        reads_.pop_front();
        sent_ = 0;
    }
    store();
    return moved;
}

void AxiModel::store() {
    while (!writes_.empty() && beats_.size() >= writes_.front().beats) {
        auto burst = writes_.front();
        writes_.pop_front();
        auto *to = memory_.device(burst.address, burst.beats * bytes_);
        for (unsigned i = 0; i < burst.beats; ++i) {
            if (to) std::memcpy(to + i * bytes_, beats_.front().data(), bytes_);
            beats_.pop_front();
        }
        burst.due = cycle_ + kLatency;
        answers_.push_back(burst);
    }
}

}  // namespace shellgen
