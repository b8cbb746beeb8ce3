// SPDX-License-Identifier: BSD-3-Clause
#include "hook.h"

#include <iostream>

namespace shellgen {

#ifdef SHELLGEN_HOOK

namespace {

struct Given {
    Options *options;
    std::set<std::string> asked;
};

void give(shellgen_hook *hook, const char *name, std::uint32_t value) {
    auto &given = *static_cast<Given *>(hook->given);
    if (given.asked.count(name)) given.options->given.emplace(name, value);
}

}  // namespace

Hook::Hook(Options &options, const NodeSettings &settings, Registers &registers) {
    if (settings.bus != Bus::COYOTE) return;
    Core(registers, settings).check();
    Given given{&options, {}};
    for (const auto &phase : settings.phases)
        for (const auto &step : phase)
            if (!step.named.empty()) given.asked.insert(step.named);
    hook_ = {settings.name.c_str(), static_cast<std::uint32_t>(std::stoul(options.device)), settings.region, give, &given};
    char text[512] = "";
    int failed = 0;
    try {
        failed = shellgen_hook_begin(&hook_, text, sizeof text);
    } catch (const std::exception &error) {
        end();
        throw InputError(std::string("SHELLGEN_HOOK: ") + error.what());
    }
    text[sizeof text - 1] = '\0';
    if (failed) {
        end();
        throw InputError("SHELLGEN_HOOK: " + (*text ? std::string(text) : "shellgen_hook_begin returned " + std::to_string(failed)));
    }
    begun_ = true;
}

Hook::~Hook() {
    if (begun_) end();
}

void Hook::end() {
    hook_.give = nullptr;
    hook_.given = nullptr;
    try {
        shellgen_hook_end(&hook_);
    } catch (const std::exception &error) {
        std::cerr << "shellgen-node: shellgen_hook_end: " << error.what() << std::endl;
    }
}

#else

Hook::Hook(Options &, const NodeSettings &, Registers &) {}
Hook::~Hook() = default;

#endif

}  // namespace shellgen
