// SPDX-License-Identifier: BSD-3-Clause
// Stands for XRT's header of this name in a rehearsal.
#pragma once
#include <map>

#include "xrt_bo.h"

enum ert_cmd_state {
    ERT_CMD_STATE_NEW = 1,
    ERT_CMD_STATE_QUEUED = 2,
    ERT_CMD_STATE_RUNNING = 3,
    ERT_CMD_STATE_COMPLETED = 4,
    ERT_CMD_STATE_ERROR = 5,
    ERT_CMD_STATE_ABORT = 6,
    ERT_CMD_STATE_SUBMITTED = 7,
    ERT_CMD_STATE_TIMEOUT = 8,
    ERT_CMD_STATE_NORESPONSE = 9
};

namespace xrt_model {
// A kernel that somebody has opened.
struct Opened {
    Opened(std::shared_ptr<card_model::Card> of, std::string kernel, bool core) : card(std::move(of)), name(std::move(kernel)) {
        if (!card) throw std::runtime_error("no device");
        card->use(name, core);
    }
    Opened(const Opened &) = delete;
    ~Opened() { card->release(); }

    std::shared_ptr<card_model::Card> card;
    std::string name;
};
}  // namespace xrt_model

namespace xrt {
class kernel {
public:
    kernel() = default;
    kernel(const device &on, const uuid &, const std::string &name) : opened(std::make_shared<xrt_model::Opened>(on.card, name, false)) {}
    int group_id(int argument) const {
        if (argument != 0) throw std::runtime_error("argument " + std::to_string(argument) + " is no buffer");
        return static_cast<int>(xrt_model::kBank);
    }

    std::shared_ptr<xrt_model::Opened> opened;
};

class run {
public:
    run() = default;
    explicit run(const xrt::kernel &of) : opened_(of.opened), run_(std::make_shared<card_model::Run>()) {}
    void set_arg(int index, const bo &buffer) {
        if (index != 0) throw std::runtime_error("argument " + std::to_string(index) + " is no buffer");
        run_->owner = buffer.memory;
        run_->data = buffer.memory->card.data();
    }
    void set_arg(int index, int value) {
        if (index == 2) run_->bytes = static_cast<std::size_t>(value);
        else if (index == 3) run_->number = static_cast<std::uint32_t>(value);
        else throw std::runtime_error("there is no argument " + std::to_string(index));
    }
    void start() { opened_->card->start(opened_->name, run_); }
    ert_cmd_state state() const {
        const auto found = opened_->card->state(*run_);
        return found == card_model::Run::State::New       ? ERT_CMD_STATE_NEW
               : found == card_model::Run::State::Waiting ? ERT_CMD_STATE_RUNNING
                                                         : ERT_CMD_STATE_COMPLETED;
    }

private:
    std::shared_ptr<xrt_model::Opened> opened_;
    std::shared_ptr<card_model::Run> run_;
};
}  // namespace xrt
