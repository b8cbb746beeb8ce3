// SPDX-License-Identifier: BSD-3-Clause
// Stands for XRT's header of this name, as far as libshellgen_host is compiled with it: there are no kernels that are started.
#pragma once
#include "xrt_bo.h"

enum ert_cmd_state {
    ERT_CMD_STATE_NEW = 1,
    ERT_CMD_STATE_QUEUED,
    ERT_CMD_STATE_RUNNING,
    ERT_CMD_STATE_COMPLETED,
    ERT_CMD_STATE_SUBMITTED = 7
};

namespace xrt {
class kernel {
public:
    kernel() = default;
    kernel(const device &, const uuid &, const std::string &name) { throw std::runtime_error("No such kernel '" + name + "'"); }
    memory_group group_id(int) const { return 0; }
};

class run {
public:
    run() = default;
    explicit run(const kernel &) {}
    template <class Argument> void set_arg(int, const Argument &) {}
    void start() {}
    ert_cmd_state state() const { return ERT_CMD_STATE_COMPLETED; }
};
} // namespace xrt
