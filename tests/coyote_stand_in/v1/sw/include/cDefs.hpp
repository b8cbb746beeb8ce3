// SPDX-License-Identifier: BSD-3-Clause
// What stands in for the header of this name in Coyote v1: as much as the programs use, under the same names.
#pragma once

#include <cstddef>
#include <cstdint>

#define EN_AVX

#define CTRL_START_RD (1UL)
#define CTRL_START_WR (1UL << 1)
#define CTRL_STREAM_RD (1UL << 4)
#define CTRL_STREAM_WR (1UL << 5)
#define CTRL_CLR_STAT_RD (1UL << 6)
#define CTRL_CLR_STAT_WR (1UL << 7)
#define CTRL_DEST_RD 9
#define CTRL_DEST_WR 13
#define CTRL_PID_RD 17
#define CTRL_PID_WR 23
#define CTRL_DEST_MASK 0xf
#define CTRL_PID_MASK 0x3f

namespace fpga {

enum class CoyoteOper { NOOP = 0, READ = 1, WRITE = 2, TRANSFER = 3, OFFLOAD = 4, SYNC = 5 };

enum class CoyoteAlloc { REG_4K = 0, HUGE_2M = 1, HOST_2M = 2, RCNFG_2M = 3 };

enum class CnfgAvxRegs : uint32_t { CTRL_REG = 0 };

enum class CnfgLegRegs : uint32_t {
    CTRL_REG = 0,
    VADDR_RD_REG = 1,
    LEN_RD_REG = 2,
    VADDR_WR_REG = 3,
    LEN_WR_REG = 4
};

constexpr auto const pageSize = (4 * 1024);
constexpr auto const hugePageSize = (2 * 1024 * 1024);

struct csAlloc {
    CoyoteAlloc alloc = {CoyoteAlloc::REG_4K};
    uint32_t n_pages = {0};
};

struct csInvoke {
    CoyoteOper oper = {CoyoteOper::NOOP};
    void *addr = {nullptr};
    uint32_t len = {0};
    bool clr_stat = true;
    bool poll = true;
    uint8_t dest = {0};
    bool stream = true;
};

struct fCnfg {
    bool en_avx = {false};
};

} // namespace fpga
