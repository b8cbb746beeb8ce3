// SPDX-License-Identifier: BSD-3-Clause
// What stands in for Coyote's header of this name: as much as the programs use, under the same names and in the same
// order.
#pragma once

#include <coyote/cDefs.hpp>

namespace coyote {

enum class CoyoteOper { NOOP = 0, LOCAL_READ = 1, LOCAL_WRITE = 2, LOCAL_TRANSFER = 3, LOCAL_OFFLOAD = 4, LOCAL_SYNC = 5 };

enum class CoyoteAllocType { REG = 0, THP = 1, HPF = 2, PRM = 3, GPU = 4 };

struct CoyoteAlloc {
    CoyoteAllocType alloc = {CoyoteAllocType::REG};
    uint32_t size = {0};
    bool remote = {false};
    uint32_t gpu_dev_id = {0};
    int32_t gpu_dmabuf_fd = {0};
    int32_t mem_block = {-1};
    void *mem = {nullptr};
};

struct syncSg {
    void *addr = {nullptr};
    uint64_t len = {0};
};

struct localSg {
    void *addr = {nullptr};
    uint32_t len = {0};
    uint32_t stream = {STRM_HOST};
    uint32_t dest = {0};
};

} // namespace coyote
