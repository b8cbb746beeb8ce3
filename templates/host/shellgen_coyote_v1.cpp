// SPDX-License-Identifier: BSD-3-Clause
// A vFPGA by Coyote v1's cProcess. Each host stream has a process of its own, since Coyote counts completed transfers by
// process and not by stream.
//
// Source: fpgasystems/Coyote before v2, sw/include/cProcess.hpp and cDefs.hpp, hw/hdl/slave/cnfg_slave_avx.sv and
// cnfg_slave.sv.
#include "shellgen_coyote.h"

#include <cProcess.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

namespace {

// cProcess::invoke puts the number of the stream into a command to read, and not into one to write: whatever it is asked
// for, a write takes host stream 0. The registers have a place for it, so this class fills in the whole command.
class Process : public fpga::cProcess {
public:
    explicit Process(uint32_t vfpga) : fpga::cProcess(static_cast<int32_t>(vfpga), getpid()) {}

    // The counters that a process clears in its beginning are written back to memory by the card, a little later.
    void wait_for_clear()
    {
        using clock = std::chrono::steady_clock;
        const auto end = clock::now() + std::chrono::seconds(1);
        while (checkCompleted(fpga::CoyoteOper::READ) || checkCompleted(fpga::CoyoteOper::WRITE))
            if (clock::now() > end)
                throw std::runtime_error("Coyote does not clear its counters of transfers");
    }

    void write(uint8_t dest, void *data, uint32_t bytes)
    {
        const uint64_t address = reinterpret_cast<uint64_t>(data);
        const uint64_t command = CTRL_START_WR | CTRL_STREAM_WR |
                                 (static_cast<uint64_t>(dest) & CTRL_DEST_MASK) << CTRL_DEST_WR |
                                 (static_cast<uint64_t>(getCpid()) & CTRL_PID_MASK) << CTRL_PID_WR;
        dlock.lock();
#ifdef EN_AVX
        if (fcnfg.en_avx) {
            const auto reg = static_cast<uint32_t>(fpga::CnfgAvxRegs::CTRL_REG);
            cnfg_reg_avx[reg] = _mm256_set_epi64x(static_cast<long long>(static_cast<uint64_t>(bytes) << 32),
                                                  static_cast<long long>(address), 0, static_cast<long long>(command));
        } else
#endif
        {
            cnfg_reg[static_cast<uint32_t>(fpga::CnfgLegRegs::VADDR_WR_REG)] = address;
            cnfg_reg[static_cast<uint32_t>(fpga::CnfgLegRegs::LEN_WR_REG)] = bytes;
            cnfg_reg[static_cast<uint32_t>(fpga::CnfgLegRegs::CTRL_REG)] = command;
        }
        dlock.unlock();
    }

    void read(uint8_t dest, void *data, uint32_t bytes)
    {
        fpga::csInvoke asked;
        asked.oper = fpga::CoyoteOper::READ;
        asked.addr = data;
        asked.len = bytes;
        asked.clr_stat = false;
        asked.poll = false;
        asked.dest = dest;
        invoke(asked);
    }
};

} // namespace

struct shellgen_coyote {
    uint32_t vfpga;
    std::unique_ptr<Process> registers;
    std::map<uint32_t, std::unique_ptr<Process>> streams;

    explicit shellgen_coyote(uint32_t the_vfpga)
        : vfpga(the_vfpga), registers(std::make_unique<Process>(the_vfpga)), streams()
    {
    }

    Process &stream(uint32_t dest)
    {
        auto &found = streams[dest];
        if (!found) {
            auto made = std::make_unique<Process>(vfpga);
            made->wait_for_clear();
            found = std::move(made);
        }
        return *found;
    }
};

namespace {

// Do what may throw; tell what was thrown.
template <typename Act>
bool done(Act act, char *text, size_t size)
{
    try {
        act();
        return true;
    } catch (const std::exception &error) {
        std::snprintf(text, size, "%s", error.what());
    } catch (...) {
        std::snprintf(text, size, "Coyote stopped without a message");
    }
    return false;
}

} // namespace

uint32_t shellgen_coyote_version(void)
{
    return 1;
}

shellgen_coyote *shellgen_coyote_open(uint32_t card, uint32_t vfpga, char *text, size_t size)
{
    shellgen_coyote *opened = nullptr;
    const auto open = [&] {
        if (card)
            throw std::runtime_error("Coyote v1 knows one card, number 0");
        opened = new shellgen_coyote(vfpga);
    };
    return done(open, text, size) ? opened : nullptr;
}

// Coyote frees memory when a process ends; to free it before would free it twice.
void shellgen_coyote_close(shellgen_coyote *coyote)
{
    delete coyote;
}

int shellgen_coyote_read(shellgen_coyote *coyote, uint32_t index, uint64_t *value, char *text, size_t size)
{
    return done([&] { *value = coyote->registers->getCSR(index); }, text, size) ? 0 : -1;
}

int shellgen_coyote_write(shellgen_coyote *coyote, uint32_t index, uint64_t value, char *text, size_t size)
{
    return done([&] { coyote->registers->setCSR(value, index); }, text, size) ? 0 : -1;
}

void *shellgen_coyote_memory(shellgen_coyote *coyote, uint32_t dest, size_t bytes, int huge, char *text, size_t size)
{
    void *found = nullptr;
    const auto get = [&] {
        const size_t page = huge ? fpga::hugePageSize : fpga::pageSize;
        const size_t pages = (bytes + page - 1) / page;
        if (pages * page > INT32_MAX)
            throw std::runtime_error("Coyote v1 gives less than 2 GiB");
        fpga::csAlloc asked;
        asked.alloc = huge ? fpga::CoyoteAlloc::HUGE_2M : fpga::CoyoteAlloc::REG_4K;
        asked.n_pages = static_cast<uint32_t>(pages);
        found = coyote->stream(dest).getMem(asked);
        if (!found)
            throw std::runtime_error("there is none");
    };
    return done(get, text, size) ? found : nullptr;
}

void *shellgen_coyote_ring(shellgen_coyote *, int, size_t, int, uint32_t *, char *text, size_t size)
{
    std::snprintf(text, size, "version 1 of Coyote has none");
    return nullptr;
}

int shellgen_coyote_begin(shellgen_coyote *coyote, uint32_t dest, int tx, void *data, uint32_t bytes, char *text,
                          size_t size)
{
    const auto invoke = [&] {
        if (tx)
            coyote->stream(dest).write(static_cast<uint8_t>(dest), data, bytes);
        else
            coyote->stream(dest).read(static_cast<uint8_t>(dest), data, bytes);
    };
    return done(invoke, text, size) ? 0 : -1;
}

int shellgen_coyote_ended(shellgen_coyote *coyote, uint32_t dest, int tx, uint32_t *count, char *text, size_t size)
{
    const auto look = [&] {
        *count = coyote->stream(dest).checkCompleted(tx ? fpga::CoyoteOper::WRITE : fpga::CoyoteOper::READ);
    };
    return done(look, text, size) ? 0 : -1;
}
