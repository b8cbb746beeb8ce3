// SPDX-License-Identifier: BSD-3-Clause
// Stands for Coyote's header of this name in a rehearsal: as much as shellgen-node uses, with the same signatures. A vFPGA is
// the file vfpga_<number> in the folder where the program runs, as host/node/card_model describes it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "card_model.h"

namespace coyote {

constexpr unsigned long const STRM_HOST = 1;

enum class CoyoteOper { NOOP = 0, LOCAL_READ = 1, LOCAL_WRITE = 2, LOCAL_TRANSFER = 3, LOCAL_OFFLOAD = 4 };
enum class CoyoteAllocType { REG = 0, THP = 1, HPF = 2, PRM = 3, GPU = 4 };

struct CoyoteAlloc {
    CoyoteAllocType alloc = {CoyoteAllocType::REG};
    uint32_t size = {0};
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

class cThread {
public:
    cThread(int32_t vfid, pid_t hpid, uint32_t device = 0, std::function<void(int)> uisr = nullptr);

    void *getMem(CoyoteAlloc &&alloc);
    void setCSR(uint64_t val, uint32_t offs);
    uint64_t getCSR(uint32_t offs) const;
    void invoke(CoyoteOper oper, syncSg sg);
    void invoke(CoyoteOper oper, localSg sg, bool last = true);
    uint32_t checkCompleted(CoyoteOper oper) const;
    int32_t getCtid() const { return 0; }

private:
    struct Begun {
        std::deque<std::shared_ptr<card_model::Run>> runs{};
        uint32_t done = 0;
    };

    std::shared_ptr<card_model::Card> card_;
    std::map<std::uint8_t *, std::pair<std::shared_ptr<void>, std::size_t>> memory_;
    mutable std::map<CoyoteOper, Begun> begun_;
};

}  // namespace coyote
