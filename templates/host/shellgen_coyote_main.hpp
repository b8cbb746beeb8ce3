// SPDX-License-Identifier: BSD-3-Clause
// The program of a node in a card that runs Coyote; run_<node>.cpp includes it. C++17.
#ifndef SHELLGEN_COYOTE_MAIN_HPP
#define SHELLGEN_COYOTE_MAIN_HPP

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // what g++ defines by itself
#endif
#define SHELLGEN_NO_MAIN
#include "shellgen_load.c"
#include "shellgen_run.c"
#ifdef SHELLGEN_BRINGS_UP
#include "shellgen_bring_up.c"
#endif
#include "shellgen_channels.h"
#include "shellgen_coyote_options.hpp"
#ifdef SHELLGEN_HOOK
#include "shellgen_hook.h"
#endif

#include <memory>

namespace {

volatile sig_atomic_t stop = 0; // the signal, while frames are under way
volatile sig_atomic_t moving = 0;

// One line of a terminal that tells how far something is, and is gone when it ends.
class Line {
public:
    explicit Line(const char *name) : name_(name) {}

    void show(const char *what, uint64_t done, uint64_t of)
    {
        const double now = shellgen_now();
        if (!began_)
            began_ = now;
        ended_ = now;
        if (!terminal_ || now - last_ < 0.1)
            return;
        last_ = now;
        shown_ = true;
        char text[80];
        snprintf(text, sizeof text, "%s: %" PRIu64 " of %" PRIu64 " %s, %.0f s", name_, done, of, what, now - began_);
        fprintf(stderr, "\r\033[K%s", text);
        fflush(stderr);
    }

    // Make room for other lines; return the seconds since it was shown first.
    double end()
    {
        if (shown_)
            fprintf(stderr, "\r\033[K");
        const double seconds = ended_ - began_;
        shown_ = false;
        began_ = last_ = ended_ = 0;
        return seconds;
    }

private:
    const char *name_;
    const bool terminal_ = isatty(STDERR_FILENO);
    bool shown_ = false;
    double began_ = 0, last_ = 0, ended_ = 0;
};

void show_frames(void *line, uint64_t done, uint64_t of)
{
    static_cast<Line *>(line)->show("frames", done, of);
}

void show_memories(void *line, uint32_t done, uint32_t of)
{
    const uint32_t half = of / 2;
    static_cast<Line *>(line)->show(done < half ? "memories written" : "memories read back", done % half, half);
}

// Frames that are under way are brought to their end first, unless it comes twice.
void on_signal(int signal)
{
    if (moving && !stop) {
        stop = signal;
        return;
    }
    static const char text[] = "\r\033[Kinterrupted\n";
    const char *shown = isatty(STDERR_FILENO) ? text : text + 4;
    if (write(STDERR_FILENO, shown, strlen(shown)) < 0)
        _exit(2);
    _exit(128 + signal);
}

// The node, opened: its registers, its host streams, and what is done with them.
class Program {
public:
    explicit Program(Options &options) : options_(options), line_(SHELLGEN_NODE.name) {}

    ~Program()
    {
#ifdef SHELLGEN_HOOK
        if (begun_)
            shellgen_hook_end(&hook_);
#endif
        if (coyote_)
            shellgen_coyote_close(coyote_);
    }

    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    // 0, 1 if golden frames differ, -1 with a message
    int run(shellgen_error &error)
    {
        if (open(error) || bring_up(error) || load(error))
            return -1;
        return options_.runs ? frames(error) : 0;
    }

    Line &line() { return line_; }

private:
    int open(shellgen_error &error)
    {
        const shellgen_node &node = SHELLGEN_NODE;
        char text[512] = "";
        if (shellgen_coyote_version() != node.coyote)
            return shellgen_fail(&error, "this program is compiled for Coyote v%" PRIu32 ", and the core is in v%d",
                                 shellgen_coyote_version(), node.coyote);
        coyote_ = shellgen_coyote_open(options_.device, options_.vfpga, text, sizeof text);
        if (!coyote_)
            return shellgen_fail(&error, "device %" PRIu32 ", vFPGA %" PRIu32 ": %s; is Coyote's driver loaded?",
                                 options_.device, options_.vfpga, text);
        bus_.context = coyote_;
        bus_.read = shellgen_coyote_bus_read;
        bus_.write = shellgen_coyote_bus_write;
        if (shellgen_check(&node, &bus_, &error))
            return -1;
#ifdef SHELLGEN_HOOK
        hook_.node = node.name;
        hook_.device = options_.device;
        hook_.vfpga = options_.vfpga;
        hook_.give = give;
        hook_.given = &options_;
        begun_ = true;
        if (shellgen_hook_begin(&hook_, text, sizeof text))
            return shellgen_fail(&error, "%s", text);
#endif
        return 0;
    }

    int bring_up(shellgen_error &error)
    {
#ifdef SHELLGEN_BRINGS_UP
        if (!options_.brings_up)
            return 0;
        const shellgen_bus *buses[SHELLGEN_NODES] = {};
        for (uint32_t index = 0; index < SHELLGEN_NODES; index++)
            buses[index] = shellgen_nodes[index] == &SHELLGEN_NODE ? &bus_ : nullptr;
        struct shellgen_bring_up job = {};
        job.bus = buses;
        job.names = options_.given.names;
        job.values = options_.given.values;
        job.given = options_.given.count;
        job.phase = options_.phase;
        job.timeout = options_.job.timeout;
#ifdef SHELLGEN_HOOK
        job.barrier = barrier;
        job.context = &hook_;
#endif
        uint32_t done = 0;
        if (shellgen_bring_up(&job, &done, &error))
            return -1;
        printf("%s: %" PRIu32 " %s done\n", SHELLGEN_NODE.name, done, done == 1 ? "step" : "steps");
#else
        (void)error;
#endif
        return 0;
    }

    int load(shellgen_error &error)
    {
        if (options_.load.empty())
            return 0;
        shellgen_loaded loaded = {0, 0, show_memories, &line_};
        const int flags = (options_.checks ? SHELLGEN_CHECK : 0) | (options_.partial ? SHELLGEN_PARTIAL : 0);
        const double began = shellgen_now();
        const int result = shellgen_load(&SHELLGEN_NODE, &bus_, options_.load.c_str(), flags, &loaded, &error);
        const double seconds = shellgen_now() - began;
        line_.end();
        if (result == 0)
            printf("%s: %" PRIu32 " %s, %" PRIu64 " registers %s, %.3f s\n", SHELLGEN_NODE.name, loaded.memories,
                        loaded.memories == 1 ? "memory" : "memories", loaded.registers,
                        options_.checks ? "read, and all as in the files" : "written and read back", seconds);
        return result;
    }

    int frames(shellgen_error &error)
    {
        shellgen_memory memory;
        auto channels = std::make_unique<shellgen_channels>();
        shellgen_make_channels(channels.get(), &memory, coyote_, &SHELLGEN_NODE);
        options_.job.engine = &channels->engine;
        options_.job.progress = show_frames;
        options_.job.context = &line_;
        options_.job.stop = &stop;
        Ends ends(options_.others, options_.job, options_.files);
        if (!ends.open(error) || clear_flags(error))
            return -1;
        moving = 1;
        int result = shellgen_run_files(&SHELLGEN_NODE, &bus_, &memory, &options_.job, &options_.files, &error);
        moving = 0;
        if (result >= 0 && ends.finish(error))
            result = -1;
        const double seconds = line_.end();
        if (result >= 0)
            printf("%s: %" PRIu64 " frames in %.3f s, %.0f frames/s\n", SHELLGEN_NODE.name, options_.job.frames, seconds,
                        seconds > 0 ? static_cast<double>(options_.job.frames) / seconds : 0.0);
        tell_flags();
        bool compared = false;
        for (const char *golden : options_.files.golden)
            compared |= golden != nullptr;
        if (result == 0 && compared)
            printf("%s: as in the golden frames\n", SHELLGEN_NODE.name);
        return result;
    }

    // What an earlier run has left.
    int clear_flags(shellgen_error &error)
    {
        const shellgen_node &node = SHELLGEN_NODE;
        for (uint32_t at = 0; at < node.flags; at++)
            if (node.flag[at].clears && shellgen_write(&bus_, node.flag[at].at, node.flag[at].mask, &error))
                return -1;
        return 0;
    }

    // What links have found wrong, even if all frames of this node are right.
    void tell_flags()
    {
        const shellgen_node &node = SHELLGEN_NODE;
        uint32_t found = 0;
        for (uint32_t at = 0; at < node.flags; at++) {
            const shellgen_flag &flag = node.flag[at];
            if (bus_.read(bus_.context, flag.at, &found) == 0 && (found & flag.mask))
                fprintf(stderr, "%s: %s is set (0x%08" PRIx32 "): %s\n", node.name, flag.place, found, flag.about);
        }
    }

#ifdef SHELLGEN_HOOK
    static void give(shellgen_hook *hook, const char *name, uint32_t value)
    {
#ifdef SHELLGEN_BRINGS_UP
        shellgen_error ignored = {""};
        const std::string text = std::string(name) + "=" + std::to_string(value);
        shellgen_give(&static_cast<Options *>(hook->given)->given, text.c_str(), &ignored);
#else
        (void)hook, (void)name, (void)value;
#endif
    }

    static int barrier(void *context, shellgen_error *error)
    {
        char text[512] = "";
        return shellgen_hook_barrier(static_cast<shellgen_hook *>(context), text, sizeof text)
                   ? shellgen_fail(error, "%s", text)
                   : 0;
    }

    shellgen_hook hook_ = {};
    bool begun_ = false;
#endif
    Options &options_;
    Line line_;
    shellgen_bus bus_ = {};
    shellgen_coyote *coyote_ = nullptr;
};

} // namespace

int main(int count, char **arguments)
{
    const shellgen_node &node = SHELLGEN_NODE;
    for (int index = 1; index < count; index++)
        if (strcmp(arguments[index], "--help") == 0 || strcmp(arguments[index], "-h") == 0) {
            printf(usage, node.name, node.name, node.coyote, bring_up_usage, static_cast<unsigned>(node.vfpga));
            return 0;
        }
    static Options options;
    shellgen_error error = {""};
    if (count == 1) {
        fprintf(stderr, "run_%s: nothing is asked for; --help tells what it does\n", node.name);
        return 2;
    }
    if (!read_options(options, count, arguments, error)) {
        fprintf(stderr, "run_%s: %s\n", node.name, error.text);
        return 2;
    }
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    Program program(options);
    const int result = program.run(error);
    program.line().end();
    if (result)
        fprintf(stderr, "run_%s: %s\n", node.name, error.text);
    return result < 0 ? (stop ? 128 + stop : 2) : result;
}

#endif
