// SPDX-License-Identifier: BSD-3-Clause
// Coyote's cThread before a simulated card. The environment says what goes wrong: COYOTE_NO_HUGE_PAGES, COYOTE_NO_PAGES,
// COYOTE_NO_DRIVER, and COYOTE_WITHHOLD=<n>, the number of completions of writes that are told at most.
#include <coyote/cThread.hpp>

#include "../../shell.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace coyote {

namespace {

int32_t threads = 0;

Shell &shell()
{
    return Shell::get();
}

uint32_t region_of(int32_t vfid)
{
    return static_cast<uint32_t>(vfid);
}

} // namespace

cThread::cThread(int32_t the_vfid, pid_t hpid, uint32_t device, std::function<void(int)> uisr)
    : vfid(the_vfid), ctid(threads++), mapped()
{
    (void)uisr;
    if (hpid <= 0 || device || std::getenv("COYOTE_NO_DRIVER"))
        throw std::runtime_error("ERROR: cThread instance could not be obtained, vfid: " + std::to_string(vfid));
    clearCompleted();
}

cThread::~cThread()
{
    for (const auto &each : mapped) {
        shell().map(region_of(vfid), static_cast<uint32_t>(ctid), each.first, 0);
        std::free(each.first);
    }
}

void *cThread::getMem(CoyoteAlloc &&alloc)
{
    const bool huge = alloc.alloc == CoyoteAllocType::HPF;
    const size_t page = huge ? size_t(1) << 21 : size_t(1) << 12;
    if (alloc.size % page)
        throw std::runtime_error("stand-in: memory is asked for in whole pages");
    if (huge && std::getenv("COYOTE_NO_HUGE_PAGES")) {
        std::fprintf(stderr, "cThread: Hugepage allocation failed\n");
        return nullptr;
    }
    if (std::getenv("COYOTE_NO_PAGES"))
        throw std::runtime_error("ERROR: IOCTL_MAP_USER_MEM failed");
    void *found = std::aligned_alloc(page, alloc.size);
    mapped.emplace(found, alloc.size);
    shell().map(region_of(vfid), static_cast<uint32_t>(ctid), found, alloc.size);
    return found;
}

void cThread::freeMem(void *vaddr)
{
    // As in Coyote: the destructor frees it once more.
    std::free(vaddr);
}

void cThread::setCSR(uint64_t val, uint32_t offs)
{
    shell().csr_write(region_of(vfid), offs, val);
}

uint64_t cThread::getCSR(uint32_t offs) const
{
    return shell().csr_read(region_of(vfid), offs);
}

void cThread::invoke(CoyoteOper oper, syncSg sg)
{
    // As in Coyote's driver: an allocation is found by its first page, and moved whole; it looks for another for ever.
    if (oper != CoyoteOper::LOCAL_OFFLOAD || !mapped.count(sg.addr) || sg.len > 4096)
        throw std::runtime_error("stand-in: a move to the card that never ends");
}

void cThread::invoke(CoyoteOper oper, localSg sg, bool last)
{
    auto *at = static_cast<uint8_t *>(sg.addr);
    const bool known = std::any_of(mapped.begin(), mapped.end(), [&](const auto &each) {
        auto *from = static_cast<uint8_t *>(each.first);
        return at >= from && at + sg.len <= from + each.second;
    });
    if (!known)
        throw std::runtime_error("stand-in: a transfer outside of the thread's memory");
    if (sg.len > MAX_TRANSFER_SIZE || sg.stream != STRM_HOST || sg.dest > 15 || !last || sg.len % 64)
        throw std::runtime_error("stand-in: a transfer that the programs never make");
    const auto pid = static_cast<uint32_t>(ctid);
    if (oper == CoyoteOper::LOCAL_READ)
        shell().start_read(region_of(vfid), sg.dest, pid, sg.addr, sg.len, last);
    else
        shell().start_write(region_of(vfid), sg.dest, pid, sg.addr, sg.len);
}

uint32_t cThread::checkCompleted(CoyoteOper oper) const
{
    const char *most = std::getenv("COYOTE_WITHHOLD");
    const auto pid = static_cast<uint32_t>(ctid);
    if (oper == CoyoteOper::LOCAL_READ)
        return shell().done_reads(region_of(vfid), pid);
    const uint32_t done = shell().done_writes(region_of(vfid), pid);
    return most ? std::min(done, static_cast<uint32_t>(std::atoi(most))) : done;
}

void cThread::clearCompleted()
{
    shell().clear(region_of(vfid), static_cast<uint32_t>(ctid));
}

int32_t cThread::getVfid() const
{
    return vfid;
}

int32_t cThread::getCtid() const
{
    return ctid;
}

} // namespace coyote
