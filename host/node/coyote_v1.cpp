// SPDX-License-Identifier: BSD-3-Clause
// Coyote v1's cProcess. Source: fpgasystems/Coyote before v2, sw/include/cProcess.hpp and cDefs.hpp, hw/hdl/slave/cnfg_slave_avx.sv
// and cnfg_slave.sv.
#include <cProcess.hpp>
#include <unistd.h>

#include <chrono>
#include <limits>
#include <stdexcept>

#include "coyote_driver.h"

namespace shellgen {
namespace {

constexpr std::chrono::seconds kPatience{1};

// cProcess::invoke puts the number of the stream into a command to read, and not into one to write: whatever it is asked for, a write
// takes host stream 0. The registers have a place for it, so this class makes the whole command.
class Process : public fpga::cProcess {
public:
    explicit Process(unsigned region) : fpga::cProcess(static_cast<std::int32_t>(region), getpid()) {}

    // The counters that a process clears when it begins are written back to memory by the card, a little later.
    void wait_for_clear() {
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (checkCompleted(fpga::CoyoteOper::READ) || checkCompleted(fpga::CoyoteOper::WRITE))
            if (std::chrono::steady_clock::now() > end) throw std::runtime_error("Coyote does not clear its counters of transfers");
    }

    void write(unsigned dest, void *data, std::uint32_t bytes) {
        const auto address = reinterpret_cast<std::uint64_t>(data);
        const std::uint64_t command = CTRL_START_WR | CTRL_STREAM_WR | (std::uint64_t{dest} & CTRL_DEST_MASK) << CTRL_DEST_WR |
                                      (static_cast<std::uint64_t>(getCpid()) & CTRL_PID_MASK) << CTRL_PID_WR;
        dlock.lock();
#ifdef EN_AVX
        if (fcnfg.en_avx) {
            cnfg_reg_avx[static_cast<std::uint32_t>(fpga::CnfgAvxRegs::CTRL_REG)] =
                _mm256_set_epi64x(static_cast<long long>(std::uint64_t{bytes} << 32), static_cast<long long>(address), 0,
                                  static_cast<long long>(command));
        } else
#endif
        {
            cnfg_reg[static_cast<std::uint32_t>(fpga::CnfgLegRegs::VADDR_WR_REG)] = address;
            cnfg_reg[static_cast<std::uint32_t>(fpga::CnfgLegRegs::LEN_WR_REG)] = bytes;
            cnfg_reg[static_cast<std::uint32_t>(fpga::CnfgLegRegs::CTRL_REG)] = command;
        }
        dlock.unlock();
    }

    void read(unsigned dest, void *data, std::uint32_t bytes) {
        fpga::csInvoke asked;
        asked.oper = fpga::CoyoteOper::READ;
        asked.addr = data;
        asked.len = bytes;
        asked.clr_stat = false;
        asked.poll = false;
        asked.dest = static_cast<std::uint8_t>(dest);
        invoke(asked);
    }
};

class Thread : public CoyoteThread {
public:
    explicit Thread(unsigned region) : process_(region) { process_.wait_for_clear(); }

    std::uint32_t read(std::uint32_t index) override { return static_cast<std::uint32_t>(process_.getCSR(index)); }
    void write(std::uint32_t index, std::uint32_t value) override { process_.setCSR(value, index); }
    void *memory(std::size_t bytes, bool huge) override {
        const std::size_t page = huge ? fpga::hugePageSize : fpga::pageSize, pages = (bytes + page - 1) / page;
        if (pages * page > std::numeric_limits<std::int32_t>::max()) throw std::runtime_error("Coyote v1 gives less than 2 GiB");
        fpga::csAlloc asked;
        asked.alloc = huge ? fpga::CoyoteAlloc::HUGE_2M : fpga::CoyoteAlloc::REG_4K;
        asked.n_pages = static_cast<std::uint32_t>(pages);
        return process_.getMem(asked);
    }
    void begin(unsigned dest, bool gives, void *data, std::uint32_t bytes) override {
        if (gives) process_.read(dest, data, bytes);
        else process_.write(dest, data, bytes);
    }
    std::uint32_t ended(bool gives) override { return process_.checkCompleted(gives ? fpga::CoyoteOper::READ : fpga::CoyoteOper::WRITE); }
    std::uint32_t number() override { return static_cast<std::uint32_t>(process_.getCpid()); }
    void offload(void *) override { throw std::runtime_error("version 1 of Coyote moves no memory for a core"); }

private:
    Process process_;  // its memory goes with it
};

}  // namespace

unsigned coyote_version() { return 1; }

std::unique_ptr<CoyoteThread> coyote_thread(unsigned card, unsigned region) {
    if (card) throw std::runtime_error("Coyote v1 knows one card, number 0");
    return std::make_unique<Thread>(region);
}

}  // namespace shellgen
