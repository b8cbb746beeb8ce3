// SPDX-License-Identifier: BSD-3-Clause
#include "shell.hpp"

#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "Vcoyote_shell.h"
#include "verilated.h"

namespace {

constexpr size_t BEAT = 64, PIECE = 4096, FIFO = 512;
constexpr unsigned ASKED = 40;
constexpr uint64_t BLOCK = 0x40000, USER = 0x120000, SLOT = 8;

struct Read {
    unsigned pid;
    const uint8_t *data;
    size_t bytes, sent;
    bool last;
};

struct Write {
    unsigned pid;
    uint8_t *data;
    size_t bytes, moved;
};

struct Beat {
    uint8_t data[BEAT];
};

// What a core offers and Coyote has not taken.
struct Offer {
    Beat beat;
    uint64_t keep;
    unsigned tid;
    bool last, waits = false;

    bool same(const Offer &other) const {
        return !memcmp(beat.data, other.beat.data, BEAT) && keep == other.keep && tid == other.tid && last == other.last;
    }
};

struct Stream {
    std::deque<Read> reads;
    unsigned rest = 0;
    bool offered = false;
    std::deque<Write> writes;
    std::deque<Beat> fifo;
    size_t piece = 0;  // bytes of the piece that are still to be moved
    Offer offer;
};

}  // namespace

struct Shell::State {
    VerilatedContext context;
    Vcoyote_shell top{&context};
    std::vector<Stream> streams{REGIONS * STREAMS};
    std::map<std::pair<unsigned, unsigned>, uint32_t> reads, writes;
    uint64_t cycles = 0;
    uint32_t random = 1;
    unsigned chance = 0, response = 0;
    bool withheld = false;
    unsigned posted = 0;
    std::string error;

    bool pause() {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        return (random >> 8 & 255) < chance;
    }

    void fault(const char *text, size_t k) {
        char line[200];
        snprintf(line, sizeof line, "vFPGA %zu, stream %zu, cycle %llu: %s", k / STREAMS, k % STREAMS,
                 static_cast<unsigned long long>(cycles), text);
        if (error.empty()) error = line;
    }

    void drive(size_t k) {
        Stream &stream = streams[k];
        if (stream.rest) stream.rest--;
        // What is offered stays until it is taken.
        if (!stream.offered) stream.offered = !stream.reads.empty() && !stream.rest && !pause();
        top.recv_tvalid[k] = stream.offered;
        if (stream.offered) {
            const Read &read = stream.reads.front();
            size_t left = read.bytes - read.sent, some = left < BEAT ? left : BEAT;
            uint8_t beat[BEAT];
            memset(beat, 0xa5, BEAT);  // a read fetches whole beats, whatever lies behind
            memcpy(beat, read.data + read.sent, some);
            memcpy(&top.recv_tdata[k][0], beat, BEAT);
            top.recv_tkeep[k] = ~0ull;
            top.recv_tid[k] = read.pid;
            top.recv_tlast[k] = read.last && left <= BEAT;
        }
        top.send_tready[k] = stream.fifo.size() < FIFO && !pause();
    }

    void took(size_t k) {  // a beat to the core
        Stream &stream = streams[k];
        Read &read = stream.reads.front();
        stream.offered = false;
        read.sent += BEAT;
        if (read.sent % PIECE == 0) stream.rest = 2;
        if (read.sent < read.bytes) return;
        if (!withheld && read.last) reads[{static_cast<unsigned>(k / STREAMS), read.pid}]++;
        stream.reads.pop_front();
        stream.rest = 4;
    }

    void look(size_t k) {  // what the core offers, before the edge
        Offer now;
        now.waits = top.send_tvalid[k];
        memcpy(now.beat.data, &top.send_tdata[k][0], BEAT);
        now.keep = top.send_tkeep[k];
        now.tid = top.send_tid[k];
        now.last = top.send_tlast[k];
        Offer &was = streams[k].offer;
        if (was.waits && !(now.waits && now.same(was))) fault("a beat that waited was withdrawn or changed", k);
        if (now.waits && now.keep != ~0ull) fault("TKEEP is not all ones", k);
        bool taken = now.waits && top.send_tready[k];
        if (taken) streams[k].fifo.push_back(now.beat);
        was = now;
        was.waits = now.waits && !taken;
    }

    void move(size_t k) {  // from the FIFO to memory, a beat a cycle
        Stream &stream = streams[k];
        if (stream.writes.empty()) return;
        Write &write = stream.writes.front();
        if (!stream.piece) {
            size_t left = write.bytes - write.moved, next = left < PIECE ? left : PIECE;
            if (stream.fifo.size() * BEAT < next) return;
            stream.piece = next;
        }
        size_t some = stream.piece < BEAT ? stream.piece : BEAT;
        memcpy(write.data + write.moved, stream.fifo.front().data, some);
        stream.fifo.pop_front();
        write.moved += some;
        stream.piece -= some;
        if (write.moved < write.bytes) return;
        if (!withheld) writes[{static_cast<unsigned>(k / STREAMS), write.pid}]++;
        stream.writes.pop_front();
    }

    void cycle() {
        for (size_t k = 0; k < streams.size(); k++) drive(k);
        top.eval();
        std::vector<bool> taken(streams.size());
        for (size_t k = 0; k < streams.size(); k++) {
            taken[k] = top.recv_tvalid[k] && top.recv_tready[k];
            look(k);
        }
        if (top.asks) fault("user logic asks for a transfer or an interrupt", 0);
        bool requested = top.awvalid && top.awready, read = top.arvalid && top.arready;
        if (top.bvalid) {
            response = top.bresp;
            posted--;
        }
        top.aclk = 1;
        top.eval();
        top.aclk = 0;
        for (size_t k = 0; k < streams.size(); k++) {
            if (taken[k]) took(k);
            move(k);
        }
        if (requested) top.awvalid = top.wvalid = 0;
        if (read) top.arvalid = 0;
        cycles++;
    }
};

Shell &Shell::get() {
    static Shell shell;
    return shell;
}

Shell::Shell() : state(new State) {
    state->top.bready = state->top.rready = 1;
    for (unsigned k = 0; k < 16; k++) {
        state->top.aresetn = k >= 8;
        state->cycle();
    }
}

Shell::~Shell() = default;

void Shell::csr_write(unsigned region, unsigned index, uint64_t value) {
    Vcoyote_shell &top = state->top;
    top.awaddr = USER + region * BLOCK + index * SLOT;
    top.wdata = value;
    top.wstrb = 0xff;
    top.awvalid = top.wvalid = 1;
    state->posted++;
    while (top.awvalid) state->cycle();
}

uint64_t Shell::csr_read(unsigned region, unsigned index) {
    Vcoyote_shell &top = state->top;
    while (state->posted) state->cycle();  // a read of PCIe pushes writes before it
    top.araddr = USER + region * BLOCK + index * SLOT;
    top.arvalid = 1;
    top.eval();
    while (!top.rvalid) state->cycle();
    uint64_t data = top.rdata;
    state->response = top.rresp;
    state->cycle();
    return data;
}

unsigned Shell::response() const { return state->response; }

uint32_t Shell::elsewhere() const { return state->top.elsewhere; }

void Shell::start_read(unsigned region, unsigned dest, unsigned pid, const void *data, size_t bytes, bool last) {
    state->streams.at(region * STREAMS + dest).reads.push_back({pid, static_cast<const uint8_t *>(data), bytes, 0, last});
}

void Shell::start_write(unsigned region, unsigned dest, unsigned pid, void *data, size_t bytes) {
    state->streams.at(region * STREAMS + dest).writes.push_back({pid, static_cast<uint8_t *>(data), bytes, 0});
}

void Shell::map(unsigned, unsigned, const void *, size_t) {
}

uint32_t Shell::done_reads(unsigned region, unsigned pid) {
    step(ASKED);
    return state->reads[{region, pid}];
}

uint32_t Shell::done_writes(unsigned region, unsigned pid) {
    step(ASKED);
    return state->writes[{region, pid}];
}

void Shell::clear(unsigned region, unsigned pid) { state->reads[{region, pid}] = state->writes[{region, pid}] = 0; }

void Shell::step(unsigned cycles) {
    while (cycles--) state->cycle();
}

uint64_t Shell::cycles() const { return state->cycles; }

void Shell::stall(unsigned chance) { state->chance = chance; }

void Shell::withhold(bool completions) { state->withheld = completions; }

std::string Shell::error() const { return state->error; }
