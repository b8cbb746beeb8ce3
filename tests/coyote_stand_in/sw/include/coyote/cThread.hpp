// SPDX-License-Identifier: BSD-3-Clause
// What stands in for Coyote's header of this name: the functions that the programs call, with the same signatures; behind
// them is a simulated card (cThread.cpp).
#pragma once

#include <coyote/cOps.hpp>

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>

namespace coyote {

class cThread {
public:
    cThread(int32_t vfid, pid_t hpid, uint32_t device = 0, std::function<void(int)> uisr = nullptr);
    ~cThread();

    void *getMem(CoyoteAlloc &&alloc);
    void freeMem(void *vaddr);
    void setCSR(uint64_t val, uint32_t offs);
    uint64_t getCSR(uint32_t offs) const;
    void invoke(CoyoteOper oper, syncSg sg);
    void invoke(CoyoteOper oper, localSg sg, bool last = true);
    uint32_t checkCompleted(CoyoteOper oper) const;
    void clearCompleted();
    int32_t getVfid() const;
    int32_t getCtid() const;

private:
    int32_t vfid, ctid;
    std::map<void *, size_t> mapped;
};

} // namespace coyote
