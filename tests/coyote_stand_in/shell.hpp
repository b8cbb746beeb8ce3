// SPDX-License-Identifier: BSD-3-Clause
//
// One card with Coyote, simulated: what a program of the host can do to its vFPGAs. Only calls let time go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

class Shell {
  public:
    static Shell &get();  // the card of this process
    ~Shell();

    // Registers of a vFPGA by their index, 8 bytes each. A write is posted: it returns when the crossbar has taken it.
    // `response` is that of the last access that was answered (0: OKAY).
    void csr_write(unsigned region, unsigned index, uint64_t value);
    uint64_t csr_read(unsigned region, unsigned index);
    unsigned response() const;
    uint32_t elsewhere() const;  // accesses to what is no user's window

    // A transfer, queued behind those of its stream. Reads go from memory to the core in pieces of 4096 bytes, TLAST at
    // the end if `last`. Writes are counted by their length; a piece starts when all its beats are in a FIFO of 512.
    void start_read(unsigned region, unsigned dest, unsigned pid, const void *data, size_t bytes, bool last = true);
    void start_write(unsigned region, unsigned dest, unsigned pid, void *data, size_t bytes);
    // How many have ended; whoever asks lets some cycles go by, so that asking again and again comes to an end.
    uint32_t done_reads(unsigned region, unsigned pid);
    uint32_t done_writes(unsigned region, unsigned pid);
    void clear(unsigned region, unsigned pid);

    // Memory of a thread that requests of the core may be for; of no bytes: it is given back.
    void map(unsigned region, unsigned pid, const void *from, size_t bytes);

    void step(unsigned cycles = 1);
    uint64_t cycles() const;
    void stall(unsigned chance);    // of 256, in which a stream rests in a cycle; 0 from the start
    void withhold(bool completions);  // no transfer is ever reported as done
    std::string error() const;      // first breach of the streams' rules; empty if there is none

  private:
    Shell();
    struct State;
    std::unique_ptr<State> state;
};
