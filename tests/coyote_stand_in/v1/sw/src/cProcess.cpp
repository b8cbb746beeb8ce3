// SPDX-License-Identifier: BSD-3-Clause
// Coyote v1's cProcess before a simulated card. As in Coyote, invoke leaves the number of the stream out of a command to
// write. COYOTE_AVX=1: commands are one register of 256 bits; COYOTE_STALE=n: counters are cleared after so many looks.
#include <cProcess.hpp>

#include "../../../shell.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace fpga {

namespace {

int32_t processes = 0;
int stale = -1;

void *at(uint64_t address)
{
    return reinterpret_cast<void *>(address);
}

} // namespace

cProcess::cProcess(int32_t the_vfid, pid_t pid)
    : vfid(the_vfid), cpid(processes++), fcnfg(), dlock(), cnfg_reg_avx(), cnfg_reg(), address_(0), bytes_(0), mapped_()
{
    if (pid <= 0 || std::getenv("COYOTE_NO_DRIVER"))
        throw std::runtime_error("cProcess could not be obtained, vfid: " + std::to_string(vfid));
    fcnfg.en_avx = std::getenv("COYOTE_AVX") != nullptr;
    if (stale < 0)
        stale = std::getenv("COYOTE_STALE") ? std::atoi(std::getenv("COYOTE_STALE")) : 0;
    Shell::get().clear(static_cast<unsigned>(vfid), static_cast<unsigned>(cpid));
    cnfg_reg_avx.written = [this](uint32_t index, const uint64_t *words) {
        if (!fcnfg.en_avx || index != static_cast<uint32_t>(CnfgAvxRegs::CTRL_REG))
            throw std::runtime_error("stand-in: no such register of commands");
        command(words[0], words[1], words[2], static_cast<uint32_t>(words[3]), static_cast<uint32_t>(words[3] >> 32));
    };
    cnfg_reg.written = [this](uint32_t index, const uint64_t *word) {
        const uint64_t value = *word;
        if (fcnfg.en_avx)
            throw std::runtime_error("stand-in: commands go through the register of 256 bits");
        if (index == static_cast<uint32_t>(CnfgLegRegs::VADDR_WR_REG))
            address_ = value;
        else if (index == static_cast<uint32_t>(CnfgLegRegs::LEN_WR_REG))
            bytes_ = value;
        else if (index == static_cast<uint32_t>(CnfgLegRegs::CTRL_REG))
            command(value, 0, address_, 0, static_cast<uint32_t>(bytes_));
        else
            throw std::runtime_error("stand-in: no such register of commands");
    };
}

cProcess::~cProcess()
{
    for (const auto &each : mapped_)
        std::free(each.first);
}

void *cProcess::getMem(const csAlloc &cs_alloc)
{
    const bool huge = cs_alloc.alloc == CoyoteAlloc::HUGE_2M;
    if (huge && std::getenv("COYOTE_NO_HUGE_PAGES"))
        throw std::runtime_error("ioctl_map_user() failed");
    const size_t page = huge ? hugePageSize : pageSize, bytes = page * cs_alloc.n_pages;
    void *found = std::aligned_alloc(page, bytes);
    mapped_.emplace(found, bytes);
    return found;
}

void cProcess::setCSR(uint64_t val, uint32_t offs)
{
    Shell::get().csr_write(static_cast<unsigned>(vfid), offs, val);
}

uint64_t cProcess::getCSR(uint32_t offs)
{
    return Shell::get().csr_read(static_cast<unsigned>(vfid), offs);
}

void cProcess::invoke(const csInvoke &cs_invoke)
{
    if (cs_invoke.clr_stat || cs_invoke.poll)
        throw std::runtime_error("stand-in: a transfer that the programs never make");
    const auto pid = static_cast<uint64_t>(cpid), dest = static_cast<uint64_t>(cs_invoke.dest & CTRL_DEST_MASK);
    const auto address = reinterpret_cast<uint64_t>(cs_invoke.addr);
    if (cs_invoke.oper == CoyoteOper::READ)
        command(CTRL_START_RD | CTRL_STREAM_RD | dest << CTRL_DEST_RD | pid << CTRL_PID_RD, address, 0, cs_invoke.len, 0);
    else
        command(CTRL_START_WR | CTRL_STREAM_WR | dest << CTRL_DEST_RD | pid << CTRL_PID_WR, 0, address, 0, cs_invoke.len);
}

// What the hardware makes of a command.
void cProcess::command(uint64_t control, uint64_t from, uint64_t to, uint32_t from_bytes, uint32_t to_bytes)
{
    const auto region = static_cast<unsigned>(vfid);
    const auto field = [control](int low, uint64_t mask) { return static_cast<unsigned>(control >> low & mask); };
    if (control & CTRL_START_RD && control & CTRL_STREAM_RD)
        Shell::get().start_read(region, field(CTRL_DEST_RD, CTRL_DEST_MASK), field(CTRL_PID_RD, CTRL_PID_MASK), at(from),
                                from_bytes, true);
    if (control & CTRL_START_WR && control & CTRL_STREAM_WR)
        Shell::get().start_write(region, field(CTRL_DEST_WR, CTRL_DEST_MASK), field(CTRL_PID_WR, CTRL_PID_MASK), at(to),
                                 to_bytes);
}

uint32_t cProcess::checkCompleted(CoyoteOper coper)
{
    if (stale > 0 && stale--)
        return 7;
    const auto region = static_cast<unsigned>(vfid), pid = static_cast<unsigned>(cpid);
    return coper == CoyoteOper::READ ? Shell::get().done_reads(region, pid) : Shell::get().done_writes(region, pid);
}

} // namespace fpga
