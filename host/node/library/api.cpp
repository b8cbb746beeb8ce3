// SPDX-License-Identifier: BSD-3-Clause
// The functions of shellgen_host.h. No exception leaves them.
#include <algorithm>
#include <new>

#include "../coyote_board.h"
#include "../crc32c.h"
#include "../linux_board.h"
#include "../shellgen_host.h"
#include "../text.h"
#include "../xrt_board.h"
#include "frames.h"
#include "memories.h"
#include "own_board.h"
#include "steps.h"

using namespace shellgen;

struct shellgen_host {
    std::string wrong;
    Options options;
    HostMap map;
    bool own = false;
    std::unique_ptr<Board> board;
    std::unique_ptr<Core> core;
    CardEngine card;  // after `board`: it is given up first
};

namespace {

// What a function does, with its sentence.
template <class Act>
int guarded(shellgen_host *host, Act &&act) {
    if (!host) return -1;
    try {
        host->wrong.clear();
        act();
        return 0;
    } catch (const std::bad_alloc &) {
        host->wrong = "there is no memory";
    } catch (const std::exception &error) {
        host->wrong = printable(error.what());
    } catch (...) {
        host->wrong = "something failed that has no text";
    }
    if (host->wrong.empty()) host->wrong = "something failed that has no text";
    return -1;
}

template <class T>
void check_size(const char *name, const T *given) {
    if (!given) throw InputError(std::string(name) + ": it is NULL");
    if (given->size != sizeof(T))
        throw InputError(std::string(name) + ".size: it is " + std::to_string(given->size) + ", and this library has " +
                         std::to_string(sizeof(T)) + "; compile the program with the shellgen_host.h of the library");
}

void check_open(const shellgen_host &host) {
    if (!host.board) throw InputError("the node was not opened");
}

std::string text_of(const char *given, const char *otherwise = "") { return given ? given : otherwise; }

void read_options(shellgen_host &host, const shellgen_host_options &given) {
    if (given.version != SHELLGEN_HOST_VERSION)
        throw InputError("version: the program was compiled for version " + std::to_string(given.version) + ", and this library has " +
                         std::to_string(SHELLGEN_HOST_VERSION) + "; compile it with the shellgen_host.h of the library");
    auto &options = host.options;
    options.map = text_of(given.map);
    options.node = text_of(given.node);
    options.registers = text_of(given.registers, "/dev/mem");
    options.buffers = text_of(given.buffers);
    options.sysfs = text_of(given.sysfs, "/sys");
    options.weights = text_of(given.weights);
    options.device = text_of(given.device);
    options.xclbin = text_of(given.xclbin);
    if (options.map.empty() || options.node.empty()) throw InputError(options.map.empty() ? "map: it is missing" : "node: it is missing");
    if (given.own_registers) check_size("own_registers", given.own_registers);
    if (given.own_memory) check_size("own_memory", given.own_memory);
    if (given.own_memory && !given.own_registers) throw InputError("own_memory: it is for own_registers, which is missing");
}

void open_board(shellgen_host &host, const shellgen_host_options &given) {
    const auto &node = host.map.node;
    auto &options = host.options;
    host.own = given.own_registers;
    if (host.own) {
        for (const auto &[name, value] : {std::pair{"registers", given.registers}, std::pair{"buffers", given.buffers},
                                          std::pair{"device", given.device}, std::pair{"xclbin", given.xclbin}})
            if (value) throw InputError(std::string(name) + ": own_registers are given; leave one of both out");
        host.board = std::make_unique<OwnBoard>(node, *given.own_registers, given.own_memory);
        return;
    }
    const bool card = node.bus == Bus::XRT || node.bus == Bus::COYOTE;
    if (node.bus == Bus::OTHER)
        throw InputError("node " + node.name + ": its bus is not devmem, xrt or coyote; give own_registers");
    for (const auto &[name, value] : {std::pair{"buffers", given.buffers}, std::pair{"registers", given.registers}})
        if (card && value) throw InputError(std::string(name) + ": node " + node.name + " is a card; give its device");
    for (const auto &[name, value] : {std::pair{"device", given.device}, std::pair{"xclbin", given.xclbin}})
        if (!card && value) throw InputError(std::string(name) + ": node " + node.name + " is no card; give registers and buffers");
    if (card && options.device.empty()) options.device = "0";
    if (node.bus == Bus::XRT && options.xclbin.empty()) throw InputError("xclbin: it is missing; give the bitstream of card " + node.name);
    if (node.bus == Bus::XRT) host.board = xrt_board(options, node);
    else if (node.bus == Bus::COYOTE) host.board = coyote_board(options, node);
    else host.board = std::make_unique<LinuxBoard>(options, node);
}

double timeout_of(double given) {
    constexpr double usual = 10, most = 1e8;
    if (!(given >= 0)) throw InputError("timeout: it is no number of seconds");
    return given > 0 ? std::min(given, most) : usual;
}

std::set<std::string> absent_of(const shellgen_host_run &job) {
    std::set<std::string> found;
    for (std::size_t k = 0; k < job.absent_count; ++k) found.insert(text_of(job.absent[k]));
    return found;
}

bool is_card(const shellgen_host &host) { return !host.own && host.map.node.bus != Bus::DEVMEM; }

}  // namespace

extern "C" {

uint32_t shellgen_version(void) { return SHELLGEN_HOST_VERSION; }

uint32_t shellgen_crc32c(uint32_t before, const void *data, size_t bytes) { return crc32c(before, data, bytes); }

int shellgen_open(const struct shellgen_host_options *options, struct shellgen_host **host) {
    if (!host) return -1;
    *host = new (std::nothrow) shellgen_host;
    return guarded(*host, [&] {
        check_size("options", options);
        read_options(**host, *options);
        (*host)->map = read_host_map((*host)->options);
        open_board(**host, *options);
        (*host)->core = std::make_unique<Core>((*host)->board->registers(), (*host)->map.node);
    });
}

void shellgen_close(struct shellgen_host *host) { delete host; }

const char *shellgen_error(const struct shellgen_host *host) { return host ? host->wrong.c_str() : "there is no handle"; }

int shellgen_build(struct shellgen_host *host, uint64_t *of_map, uint64_t *of_core) {
    return guarded(host, [&] {
        check_open(*host);
        const auto found = host->core->build();
        if (of_map) *of_map = host->map.node.build_id;
        if (of_core) *of_core = found;
    });
}

int shellgen_check(struct shellgen_host *host) {
    return guarded(host, [&] {
        check_open(*host);
        host->core->check();
    });
}

int shellgen_read(struct shellgen_host *host, uint64_t address, uint32_t *value) {
    return guarded(host, [&] {
        check_open(*host);
        if (!value || address % 4) throw InputError(value ? "address: it is not a multiple of 4" : "value: it is NULL");
        *value = host->board->registers().read(address);
    });
}

int shellgen_write(struct shellgen_host *host, uint64_t address, uint32_t value) {
    return guarded(host, [&] {
        check_open(*host);
        if (address % 4) throw InputError("address: it is not a multiple of 4");
        host->board->registers().write(address, value);
    });
}

int shellgen_load(struct shellgen_host *host, struct shellgen_host_load *job) {
    return guarded(host, [&] {
        check_open(*host);
        check_size("job", job);
        job->memories = 0;
        job->registers = 0;
        const auto contents = read_folder(host->map, text_of(job->folder, "."), job->partial);
        const auto tell = [&](std::size_t done, std::size_t of) {
            if (job->progress && job->progress(job->context, done, of)) throw BoardError(host->map.node.name + ": interrupted");
        };
        Memories(host->board->registers(), host->map, tell).load(*host->core, contents, job->check);
        for (const auto &one : contents) {
            job->memories += !one.empty();
            job->registers += one.size();
        }
    });
}

int shellgen_bring_up(struct shellgen_host *const *hosts, size_t count, struct shellgen_host_bring_up *job) {
    if (!hosts || !count) return -1;
    return guarded(hosts[0], [&] {
        check_size("job", job);
        StepsJob steps;
        for (std::size_t k = 0; k < count; ++k) {
            if (!hosts[k]) throw InputError("nodes: one is NULL");
            check_open(*hosts[k]);
            const auto &name = hosts[k]->map.node.name;
            if (!steps.nodes.emplace(name, StepsJob::Reached{&hosts[k]->board->registers(), hosts[k]->core.get()}).second)
                throw InputError("nodes: " + name + " is there twice");
        }
        for (std::size_t k = 0; k < job->count; ++k) {
            const auto name = text_of(job->values[k].name);
            const auto known = [&](const HostStep &step) { return step.value_name == name; };
            if (name.empty() || std::none_of(hosts[0]->map.steps.begin(), hosts[0]->map.steps.end(), known))
                throw InputError("values: the map does not name " + (name.empty() ? "one without a name" : name));
            steps.given[name] = job->values[k].value;
        }
        steps.phase = job->phase;
        steps.timeout = timeout_of(job->timeout);
        if (job->barrier)
            steps.barrier = [job] {
                if (job->barrier(job->context)) throw BoardError("the other nodes have not come so far");
            };
        job->done = 0;
        job->done = do_steps(hosts[0]->map, steps);
    });
}

uint32_t shellgen_streams(const struct shellgen_host *host) { return host ? static_cast<std::uint32_t>(host->map.node.streams.size()) : 0; }

int shellgen_stream(struct shellgen_host *host, uint32_t index, struct shellgen_host_stream *stream) {
    return guarded(host, [&] {
        check_size("stream", stream);
        if (index >= host->map.node.streams.size())
            throw InputError("index: there are " + std::to_string(host->map.node.streams.size()) + " streams");
        const auto &found = host->map.node.streams[index];
        stream->boundary = found.boundary.c_str();
        stream->port = found.port.c_str();
        stream->enters = found.enters;
        stream->weights = found.weights;
        stream->moved = is_moved(host->map.node, found) && !found.weights;
        stream->frame_bytes = found.frame_bytes;
    });
}

int shellgen_share(struct shellgen_host *host, const struct shellgen_host_run *job, uint32_t stream, uint64_t *frames) {
    return guarded(host, [&] {
        check_size("job", job);
        if (!frames || stream >= host->map.node.streams.size()) throw InputError("stream: there is no stream of this number");
        *frames = Turns(host->map, absent_of(*job)).share(stream, job->frames);
    });
}

int shellgen_run(struct shellgen_host *host, struct shellgen_host_run *job) {
    return guarded(host, [&] {
        check_open(*host);
        check_size("job", job);
        job->marked = 0;
        FramesJob frames;
        frames.frames = job->frames;
        frames.batch = job->batch;
        frames.timeout = timeout_of(job->timeout);
        if (job->streams != host->map.node.streams.size() || !job->data)
            throw InputError("streams: node " + host->map.node.name + " has " + std::to_string(host->map.node.streams.size()) +
                             "; give so many entries of data");
        frames.data.assign(job->data, job->data + job->streams);
        if (job->progress)
            frames.progress = [job](std::uint64_t done, std::uint64_t of) { return !job->progress(job->context, done, of); };
        const Turns turns(host->map, absent_of(*job));
        run_frames(*host->board, host->map, turns, is_card(*host) ? &host->card : nullptr, frames);
        job->batch_used = frames.batch;
        if (!frames.marked) return;
        job->marked = 1;
        job->first_marked = frames.marked->first;
        job->last_marked = frames.marked->last;
        host->wrong = frames.marked->text;
    });
}

}  // extern "C"
