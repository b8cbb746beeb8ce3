// SPDX-License-Identifier: BSD-3-Clause
#include "steps.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <thread>

#include "../text.h"

namespace shellgen {
namespace {

using Clock = std::chrono::steady_clock;

std::string place_of(const HostStep &step) { return step.node + ": " + step.step.place + formatted(" at %#llx", step.step.address); }

class Steps {
public:
    Steps(const HostMap &map, const StepsJob &job) : map_(map), job_(job) {}

    std::uint32_t run() {
        check();
        std::uint32_t done = 0;
        unsigned phase = 1;
        for (std::size_t at = 0; at < map_.steps.size(); ++at) {
            const auto &step = map_.steps[at];
            if (step.barrier && !job_.phase && job_.barrier) job_.barrier();
            if (!chosen(step, phase)) continue;
            one(at);
            ++done;
        }
        return done;
    }

private:
    // Whether a step is to be done here; counts the phases on the way.
    bool chosen(const HostStep &step, unsigned &phase) const {
        phase += step.barrier;
        return !step.barrier && job_.nodes.count(step.node) && (!job_.phase || job_.phase == phase);
    }

    void check() const {
        const auto barriers = std::count_if(map_.steps.begin(), map_.steps.end(), [](const HostStep &one) { return one.barrier; });
        const auto phases = static_cast<unsigned>(barriers) + 1;
        if (job_.phase > phases)
            throw InputError("phase " + std::to_string(job_.phase) + ": there are " + std::to_string(phases) + ", from 1");
        const auto away = [this](const std::string &name) { return !job_.nodes.count(name); };
        if (!job_.phase && !job_.barrier && phases > 1 && std::any_of(map_.step_nodes.begin(), map_.step_nodes.end(), away))
            throw InputError("there are " + std::to_string(phases) +
                             " phases, and other nodes must keep up; do phase 1 of all of them, then phase 2");
        unsigned phase = 1;
        std::vector<std::string> nodes;
        for (const auto &step : map_.steps) {
            if (!chosen(step, phase)) continue;
            if (!step.value_name.empty() && !job_.given.count(step.value_name))
                throw InputError("no value is given for " + step.value_name);
            if (std::find(nodes.begin(), nodes.end(), step.node) == nodes.end()) nodes.push_back(step.node);
        }
        for (const auto &name : nodes) job_.nodes.at(name).core->check();
    }

    std::uint32_t value(const HostStep &step) const { return step.value_name.empty() ? step.step.value : job_.given.at(step.value_name); }

    // An access, of which a message tells the step.
    template <class Act>
    static auto access(const HostStep &step, Act &&act) {
        try {
            return act();
        } catch (const AccessError &) {
            throw BoardError(place_of(step) + ": answered with an error");
        } catch (const BoardError &error) {
            throw BoardError(place_of(step) + ": " + error.what());
        }
    }

    void one(std::size_t at) const {
        const auto &step = map_.steps[at];
        auto &registers = *job_.nodes.at(step.node).registers;
        if (step.step.writes) return access(step, [&] { registers.write(step.step.address, value(step)); });
        const auto tenth = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(job_.timeout / 10));
        const auto began = Clock::now();
        for (auto next = began + tenth;;) {
            const auto found = access(step, [&] { return registers.read(step.step.address); });
            if (!((found ^ value(step)) & step.step.mask)) return;
            if (Clock::now() >= began + 10 * tenth) fail(step, found);
            if (step.step.again && Clock::now() >= next) {
                next = Clock::now() + tenth;
                for (auto k = at - step.step.again; k < at; ++k) one(k);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    [[noreturn]] void fail(const HostStep &step, std::uint32_t found) const {
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%g", job_.timeout);
        auto text = place_of(step) + formatted(": read 0x%08llx", found) + formatted(", wanted 0x%08llx", value(step) & step.step.mask) +
                    formatted(" in the bits 0x%08llx", step.step.mask) + " within " + seconds + " s";
        if (!step.step.text.empty()) text += ": " + step.step.text;
        throw BoardError(text + reason(step));
    }

    // Why a register was waited for in vain, as another one tells it.
    std::string reason(const HostStep &step) const {
        if (!step.step.reason) return "";
        const auto &told = *step.step.reason;
        std::uint32_t found = 0;
        try {
            found = job_.nodes.at(step.node).registers->read(told.address);
        } catch (const BoardError &) {
            return "";
        }
        if (!found) return "";
        auto text = "; " + told.place + formatted(" reads 0x%08llx", found);
        const char *comma = ": ";
        for (const auto &[mask, about] : told.bits) {
            if (!(found & mask)) continue;
            text += comma + about;
            comma = ", ";
        }
        return text;
    }

    const HostMap &map_;
    const StepsJob &job_;
};

}  // namespace

std::uint32_t do_steps(const HostMap &map, const StepsJob &job) { return Steps(map, job).run(); }

}  // namespace shellgen
