// SPDX-License-Identifier: BSD-3-Clause
// The command line of shellgen_coyote_main.hpp, which includes it behind the programs in C.
#ifndef SHELLGEN_COYOTE_OPTIONS_HPP
#define SHELLGEN_COYOTE_OPTIONS_HPP

#include "shellgen_ends.hpp"

#include <unistd.h>

#include <string>

namespace {

const char *const usage = R"(usage: run_%s [options]

Node %s, in a card that runs Coyote v%d. What it can do, in this order:

%s  --load FOLDER              load the weights of a folder, and read them back
  --check FOLDER             compare the memories with them; nothing is written
  --partial                  with these: the folder need not have all files
  --input [STREAM=]X.npy     run frames: where they come from,
  --output [STREAM=]Y.npy      where results go,
  --golden [STREAM=]Y.npy      and what they must be
  --listen [HOST:]PORT       take the rest from the boards before
  --connect [STREAM=]HOST:PORT  send to the next board
  --frames N                 only so many; how many come, where none enters here
  --batch N                  frames of a transfer (chosen if left out)
  --absent NODE              a replica that gets no turns here

  --timeout S                seconds without movement that end it (10)
  --wait S                   seconds to wait for the other boards (60)
  --device N                 number of the card (0)
  --vfpga N                  number of its vFPGA (%u, as memory_map.json has it)

Exit code: 0; 1 if a golden frame differs; 2 on an error.
)";
constexpr double LONGEST = 1e7; // seconds that may be waited for anything

#ifdef SHELLGEN_BRINGS_UP
const char *const bring_up_usage = R"(  --bring-up                 do what the links need before the first frame
  --set NAME=VALUE           with it: a value that memory_map.json only names
  --phase K                  with it: only the steps between two barriers
)";
#else
const char *const bring_up_usage = "";
#endif

struct Options {
    shellgen_job job = {};
    shellgen_files files = {};
    Others others;
    bool waits = false;
    std::string load;
    bool checks = false, partial = false, runs = false;
    bool brings_up = false;
    uint32_t phase = 0, device = 0, vfpga = SHELLGEN_NODE.vfpga;
#ifdef SHELLGEN_BRINGS_UP
    shellgen_given given = {};
#endif
};

bool number(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t &found, shellgen_error &error)
{
    char *end = nullptr;
    errno = 0;
    const unsigned long long value = isdigit(static_cast<unsigned char>(*text)) ? strtoull(text, &end, 10) : 0;
    if (!end || *end || errno || value < least || value > most) {
        shellgen_fail(&error, "%s %.100s: give a number from %" PRIu64 " to %" PRIu64, name, text, least, most);
        return false;
    }
    found = value;
    return true;
}

bool some_seconds(const char *name, const char *text, double &found, shellgen_error &error)
{
    char *end = nullptr;
    found = strtod(text, &end);
    if (end != text && !*end && found > 0 && found <= LONGEST)
        return true;
    shellgen_fail(&error, "%s %.100s: give some seconds", name, text);
    return false;
}

bool readable(const char *path, shellgen_error &error)
{
    if (access(path, R_OK) == 0)
        return true;
    shellgen_fail(&error, "%.300s: %s", path, strerror(errno));
    return false;
}

// A file that is written at the end needs its folder in the beginning.
bool writable(const char *path, shellgen_error &error)
{
    const std::string whole(path);
    const auto slash = whole.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : slash ? whole.substr(0, slash) : "/";
    if (access(folder.c_str(), W_OK) == 0)
        return true;
    shellgen_fail(&error, "%.300s: %.300s: %s", path, folder.c_str(), strerror(errno));
    return false;
}

bool take_value(Options &options, const std::string &name, const char *value, shellgen_error &error)
{
    const shellgen_node &node = SHELLGEN_NODE;
    uint64_t found = 0;
    if (name == "--input" || name == "--output" || name == "--golden") {
        options.runs = true;
        const char **files = name == "--input" ? options.files.input
                             : name == "--output" ? options.files.output : options.files.golden;
        return shellgen_enter(&node, name != "--input", value, files, &error) == 0;
    }
    if (name == "--load" || name == "--check") {
        if (!options.load.empty()) {
            shellgen_fail(&error, "%s: one --load or one --check is enough; --load reads back, too", name.c_str());
            return false;
        }
        options.load = value;
        options.checks = name == "--check";
        return true;
    }
    if (name == "--frames") {
        options.runs = true;
        return number("--frames", value, 1, UINT32_MAX, options.job.frames, error);
    }
    if (name == "--absent") {
        shellgen_absent &absent = options.job.absent;
        if (absent.count < SHELLGEN_MOST_ABSENT)
            absent.node[absent.count++] = value;
        return shellgen_check_absent(&node, &absent, &error) == 0;
    }
    if (name == "--timeout")
        return some_seconds("--timeout", value, options.job.timeout, error);
    if (name == "--wait") {
        options.waits = true;
        return some_seconds("--wait", value, options.others.wait, error);
    }
    if (name == "--connect" || name == "--listen") {
        options.runs = true;
        if (name == "--listen" && !options.others.listen.empty()) {
            shellgen_fail(&error, "--listen %.100s: one is enough; each connection names its stream", value);
            return false;
        }
        if (name == "--connect")
            options.others.connect.emplace_back(value);
        else
            options.others.listen = value;
        Address found;
        return name == "--connect" || read_address(value, HERE, found, error);
    }
#ifdef SHELLGEN_BRINGS_UP
    if (name == "--set")
        return shellgen_give(&options.given, value, &error) == 0;
    if (name == "--phase") {
        if (!number("--phase", value, 1, UINT32_MAX, found, error))
            return false;
        options.phase = static_cast<uint32_t>(found);
        return true;
    }
#endif
    uint32_t *place = name == "--batch"    ? &options.job.batch
                      : name == "--device" ? &options.device
                      : name == "--vfpga"  ? &options.vfpga : nullptr;
    if (!place) {
        shellgen_fail(&error, "%.100s: no such option; --help tells all", name.c_str());
        return false;
    }
    const uint64_t least = name == "--batch", most = name == "--batch" ? UINT32_MAX : name == "--vfpga" ? 14 : 255;
    if (!number(name.c_str(), value, least, most, found, error))
        return false;
    *place = static_cast<uint32_t>(found);
    return true;
}

// An option that would do nothing is one that was meant to do something.
bool goes_together(const Options &options, shellgen_error &error)
{
    const char *alone = nullptr, *with = nullptr;
#ifdef SHELLGEN_BRINGS_UP
    if (!options.brings_up && (options.phase || options.given.count))
        alone = options.phase ? "--phase" : "--set", with = "--bring-up";
#endif
    if (options.partial && options.load.empty())
        alone = "--partial", with = "--load or --check";
    if ((options.job.batch || options.job.absent.count) && !options.runs)
        alone = options.job.batch ? "--batch" : "--absent", with = "frames to run";
    if (options.waits && !options.others.any())
        alone = "--wait", with = "--listen or --connect";
    if (alone)
        shellgen_fail(&error, "%s does nothing without %s; --help tells all", alone, with);
    return !alone;
}

bool read_options(Options &options, int count, char **arguments, shellgen_error &error)
{
    options.job.folder = ".";
    options.job.timeout = 10.0;
    for (int index = 1; index < count; index++) {
        const std::string name = arguments[index];
        if (name == "--partial") {
            options.partial = true;
#ifdef SHELLGEN_BRINGS_UP
        } else if (name == "--bring-up") {
            options.brings_up = true;
#endif
        } else if (name.compare(0, 2, "--") != 0) {
            shellgen_fail(&error, "%.200s: options begin with --; --help tells all", name.c_str());
            return false;
        } else if (index + 1 == count) {
            shellgen_fail(&error, "%.200s: no such option, or it needs a value; --help tells all", name.c_str());
            return false;
        } else if (!take_value(options, name, arguments[++index], error)) {
            return false;
        }
    }
    if (!goes_together(options, error))
        return false;
    const shellgen_files &files = options.files;
    for (uint32_t at = 0; at < SHELLGEN_NODE.streams; at++)
        if ((files.input[at] && !readable(files.input[at], error)) ||
            (files.golden[at] && !readable(files.golden[at], error)) ||
            (files.output[at] && !writable(files.output[at], error)))
            return false;
    return true;
}

} // namespace

#endif
