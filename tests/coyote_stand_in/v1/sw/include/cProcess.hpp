// SPDX-License-Identifier: BSD-3-Clause
// What stands in for the header of this name in Coyote v1: the functions and members that the programs use. The registers
// of commands are objects that a simulated card (cProcess.cpp) is told by.
#pragma once

#include "cDefs.hpp"

#include <sys/types.h>

#include <immintrin.h>

#include <functional>
#include <map>
#include <mutex>

namespace fpga {

// Registers that tell when one of them is written: those of 64 bits, and those of 256.
class Registers {
public:
    using Written = std::function<void(uint32_t, const uint64_t *)>;
    Written written;

    class Place {
    public:
        Place(const Written &written, uint32_t index) : written_(written), index_(index) {}
        void operator=(uint64_t value) { written_(index_, &value); }
        void operator=(__m256i value)
        {
            alignas(32) uint64_t words[4];
            _mm256_store_si256(reinterpret_cast<__m256i *>(words), value);
            written_(index_, words);
        }

    private:
        const Written &written_;
        uint32_t index_;
    };

    Place operator[](uint32_t index) { return Place(written, index); }
};

class cProcess {
public:
    cProcess(int32_t vfid, pid_t pid);
    ~cProcess();

    int32_t getCpid() const { return cpid; }
    void *getMem(const csAlloc &cs_alloc);
    void setCSR(uint64_t val, uint32_t offs);
    uint64_t getCSR(uint32_t offs);
    void invoke(const csInvoke &cs_invoke);
    uint32_t checkCompleted(CoyoteOper coper);

protected:
    int32_t vfid, cpid;
    fCnfg fcnfg;
    std::mutex dlock;
    Registers cnfg_reg_avx, cnfg_reg;

private:
    void command(uint64_t control, uint64_t from, uint64_t to, uint32_t from_bytes, uint32_t to_bytes);
    uint64_t address_, bytes_;
    std::map<void *, size_t> mapped_;
};

} // namespace fpga
