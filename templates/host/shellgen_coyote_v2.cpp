// SPDX-License-Identifier: BSD-3-Clause
// A vFPGA by Coyote v2's cThread. Each host stream has a thread of its own, since Coyote counts completed transfers by
// thread and not by stream.
//
// Source: fpgasystems/Coyote, sw/include/coyote/cThread.hpp and cOps.hpp.
#include "shellgen_coyote.h"

#include <coyote/cThread.hpp>

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

struct shellgen_coyote {
    uint32_t card, vfpga;
    std::unique_ptr<coyote::cThread> registers;
    std::map<uint32_t, std::unique_ptr<coyote::cThread>> streams;
    std::unique_ptr<coyote::cThread> rings; // what the core asks for by itself is counted there, and nobody looks

    shellgen_coyote(uint32_t the_card, uint32_t the_vfpga)
        : card(the_card), vfpga(the_vfpga), registers(thread()), streams(), rings()
    {
    }

    std::unique_ptr<coyote::cThread> thread() const
    {
        return std::make_unique<coyote::cThread>(static_cast<int32_t>(vfpga), getpid(), card);
    }

    coyote::cThread &stream(uint32_t dest)
    {
        auto &found = streams[dest];
        if (!found)
            found = thread();
        return *found;
    }
};

namespace {

// Get memory for a thread, in whole pages.
void *pages(coyote::cThread &thread, size_t bytes, int huge)
{
    const size_t page = huge ? size_t(1) << 21 : size_t(1) << 12;
    const size_t whole = (bytes + page - 1) / page * page;
    if (whole > UINT32_MAX)
        throw std::runtime_error("Coyote gives 4 GiB at most");
    coyote::CoyoteAlloc asked;
    asked.alloc = huge ? coyote::CoyoteAllocType::HPF : coyote::CoyoteAllocType::REG;
    asked.size = static_cast<uint32_t>(whole);
    void *found = thread.getMem(std::move(asked));
    if (!found)
        throw std::runtime_error("there is none");
    return found;
}

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
    return 2;
}

shellgen_coyote *shellgen_coyote_open(uint32_t card, uint32_t vfpga, char *text, size_t size)
{
    shellgen_coyote *opened = nullptr;
    return done([&] { opened = new shellgen_coyote(card, vfpga); }, text, size) ? opened : nullptr;
}

// Coyote frees memory when a thread ends; to free it before would free it twice.
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
    return done([&] { found = pages(coyote->stream(dest), bytes, huge); }, text, size) ? found : nullptr;
}

// The driver moves a whole allocation to the card, by its first page; one that it does not find by that never ends.
void *shellgen_coyote_ring(shellgen_coyote *coyote, int card, size_t bytes, int huge, uint32_t *thread, char *text,
                           size_t size)
{
    void *found = nullptr;
    const auto get = [&] {
        if (!coyote->rings)
            coyote->rings = coyote->thread();
        found = pages(*coyote->rings, bytes, huge);
        *thread = static_cast<uint32_t>(coyote->rings->getCtid());
        if (card) {
            coyote::syncSg whole;
            whole.addr = found;
            whole.len = size_t(1) << 12;
            coyote->rings->invoke(coyote::CoyoteOper::LOCAL_OFFLOAD, whole);
        }
    };
    return done(get, text, size) ? found : nullptr;
}

int shellgen_coyote_begin(shellgen_coyote *coyote, uint32_t dest, int tx, void *data, uint32_t bytes, char *text,
                          size_t size)
{
    const auto invoke = [&] {
        coyote::localSg sg;
        sg.addr = data;
        sg.len = bytes;
        sg.stream = coyote::STRM_HOST;
        sg.dest = dest;
        coyote->stream(dest).invoke(tx ? coyote::CoyoteOper::LOCAL_WRITE : coyote::CoyoteOper::LOCAL_READ, sg, true);
    };
    return done(invoke, text, size) ? 0 : -1;
}

int shellgen_coyote_ended(shellgen_coyote *coyote, uint32_t dest, int tx, uint32_t *count, char *text, size_t size)
{
    const auto look = [&] {
        *count = coyote->stream(dest).checkCompleted(tx ? coyote::CoyoteOper::LOCAL_WRITE
                                                        : coyote::CoyoteOper::LOCAL_READ);
    };
    return done(look, text, size) ? 0 : -1;
}
