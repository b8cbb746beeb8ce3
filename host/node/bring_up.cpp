// SPDX-License-Identifier: BSD-3-Clause
#include "bring_up.h"

#include <cstdio>

namespace shellgen {
namespace {

constexpr std::chrono::milliseconds kPatience{3000}, kRepeat{300};  // for a register; until what asks for its value is repeated

}  // namespace

void BringUp::begin(std::size_t phase) {
    steps_ = &settings_.phases.at(phase);
    next_ = 0;
    waits_ = false;
}

bool BringUp::has(const StepSettings &step, std::uint32_t &found) {
    found = registers_.read(step.address);
    return !((found ^ step.value) & step.mask);
}

bool BringUp::go() {
    while (steps_ && next_ < steps_->size()) {
        const auto &step = (*steps_)[next_];
        std::uint32_t found = 0;
        if (step.writes) {
            registers_.write(step.address, step.value);
        } else if (!has(step, found)) {
            const auto now = Clock::now();
            if (!waits_) end_ = now + kPatience, repeat_ = now + kRepeat;
            waits_ = true;
            if (now > end_) fail(step, found);
            if (now < repeat_) return false;
            repeat_ = now + kRepeat;
            for (auto k = next_ - step.again; k < next_; ++k)
                if ((*steps_)[k].writes) registers_.write((*steps_)[k].address, (*steps_)[k].value);
            return false;
        }
        waits_ = false;
        ++next_;
    }
    return true;
}

bool BringUp::reached(std::size_t phase, bool must) {
    for (const auto &step : settings_.phases.at(phase)) {
        std::uint32_t found = 0;
        if (step.writes || has(step, found)) continue;
        if (must) fail(step, found);
        return false;
    }
    return true;
}

void BringUp::fail(const StepSettings &step, std::uint32_t found) {
    char text[96];
    std::snprintf(text, sizeof text, ": read %#010x, wanted %#010x in the bits %#010x: ", found, step.value & step.mask, step.mask);
    auto told = settings_.name + ": " + step.place + text + step.text;
    if (step.reason)
        for (const auto &[mask, why] : step.reason->bits)
            if (registers_.read(step.reason->address) & mask) told += "; " + step.reason->place + ": " + why;
    throw BoardError(told);
}

}  // namespace shellgen
