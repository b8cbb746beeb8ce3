// SPDX-License-Identifier: BSD-3-Clause
// Coyote v2's cThread. Source: fpgasystems/Coyote, sw/include/coyote/cThread.hpp and cOps.hpp.
#include <coyote/cThread.hpp>
#include <unistd.h>

#include <limits>
#include <stdexcept>

#include "coyote_driver.h"

namespace shellgen {
namespace {

class Thread : public CoyoteThread {
public:
    Thread(unsigned card, unsigned region) : thread_(static_cast<std::int32_t>(region), getpid(), card) {}

    std::uint32_t read(std::uint32_t index) override { return static_cast<std::uint32_t>(thread_.getCSR(index)); }
    void write(std::uint32_t index, std::uint32_t value) override { thread_.setCSR(value, index); }
    void *memory(std::size_t bytes, bool huge) override {
        if (bytes > std::numeric_limits<std::uint32_t>::max()) throw std::runtime_error("Coyote gives less than 4 GiB");
        coyote::CoyoteAlloc asked;
        asked.alloc = huge ? coyote::CoyoteAllocType::HPF : coyote::CoyoteAllocType::REG;
        asked.size = static_cast<std::uint32_t>(bytes);
        return thread_.getMem(std::move(asked));
    }
    void begin(unsigned dest, bool gives, void *data, std::uint32_t bytes) override {
        coyote::localSg sg;
        sg.addr = data;
        sg.len = bytes;
        sg.stream = coyote::STRM_HOST;
        sg.dest = dest;
        thread_.invoke(operation(gives), sg, true);
    }
    std::uint32_t ended(bool gives) override { return thread_.checkCompleted(operation(gives)); }
    std::uint32_t number() override { return static_cast<std::uint32_t>(thread_.getCtid()); }
    // The driver finds an allocation by its first page and moves it whole; one that it does not find by that never ends.
    void offload(void *data) override {
        coyote::syncSg whole;
        whole.addr = data;
        whole.len = std::uint64_t{1} << 12;
        thread_.invoke(coyote::CoyoteOper::LOCAL_OFFLOAD, whole);
    }

private:
    static coyote::CoyoteOper operation(bool gives) { return gives ? coyote::CoyoteOper::LOCAL_READ : coyote::CoyoteOper::LOCAL_WRITE; }

    coyote::cThread thread_;  // its memory goes with it
};

}  // namespace

unsigned coyote_version() { return 2; }

std::unique_ptr<CoyoteThread> coyote_thread(unsigned card, unsigned region) { return std::make_unique<Thread>(card, region); }

}  // namespace shellgen
