// SPDX-License-Identifier: BSD-3-Clause
// What run_engine.h promises of an epoch: nothing of the one before is left, and what waits gets the first frame.
#pragma once

#include <cstring>
#include <functional>
#include <string>

#include "core.h"
#include "echo_board.h"
#include "run_engine.h"

namespace shellgen {

// A core whose reset takes some looks, and in which some frames are left.
struct LateCore : Registers {
    explicit LateCore(const NodeSettings &settings) : settings(settings) {}
    std::uint32_t read(std::uint64_t address) override {
        const auto at = [&](const char *name) { return address == settings.registers.at(name).address; };
        if (at("MAGIC")) return kEchoMagic;
        if (at("BUILD_ID_LOW")) return static_cast<std::uint32_t>(kEchoBuild);
        if (at("BUILD_ID_HIGH")) return static_cast<std::uint32_t>(kEchoBuild >> 32);
        return at("CONTROL") && resets ? resets--, 2 : 0;
    }
    void write(std::uint64_t address, std::uint32_t value) override {
        if (address != settings.registers.at("CONTROL").address) return;
        if (value == 2) resets = 5, asked = true;
        if (value == 4) held_with = stale, cut = opened;
        held = value == 4;
        opened |= value == 0;
    }

    const NodeSettings &settings;
    int resets = 0, stale = 0;
    int held_with = -1;  // frames that were left when it was held
    bool asked = false, held = false;
    bool opened = false, cut = false;  // it was open, so that a transfer to it has begun; its rest was discarded
};

struct LatePort : RunPort {
    LatePort(LateCore &of, const StreamSettings &stream) : RunPort("port", stream), core(of) {}
    Buffer take(std::size_t bytes) override {
        memory.emplace_back(bytes, std::uint8_t{0});
        return {memory.back().data(), 0, bytes};
    }
    void flush(const Buffer &, std::size_t) override {}
    void invalidate(const Buffer &, std::size_t) override {}
    void begin(const Buffer &buffer) override {
        into = buffer;
        looks = 0;
    }
    // One to the core ends when the reset does; one from the core when a frame is left, after some looks.
    bool over() override {
        if (gives()) return core.asked ? !core.resets : core.cut;
        if (!core.stale || ++looks < 3) return false;
        --core.stale;
        return true;
    }

    LateCore &core;
    std::deque<std::vector<std::uint8_t>> memory{};
    Buffer into{};
    int looks = 0;
};

// `expect`: of the unit tests.
inline void runs(const std::function<void(bool, const std::string &)> &expect) {
    auto settings = echo_settings(100);
    for (auto &stream : settings.streams) stream.memory_bytes = 128;
    LateCore registers(settings);
    Core core(registers, settings);
    RunPorts ports;
    for (const auto &stream : settings.streams) ports.emplace(stream.index, std::make_unique<LatePort>(registers, stream));
    auto &in = static_cast<LatePort &>(*ports.at(0)), &out = static_cast<LatePort &>(*ports.at(1));
    RunEngine engine("node", ports, "nothing helps", false);
    const auto first = in.take(128), second = out.take(128), third = out.take(128);
    in.start(first);
    out.start(second);
    registers.stale = 3;
    engine.begin(core, [] {});
    expect(registers.asked && !registers.resets, "the reset is asked for, and its end waited for");
    expect(registers.held_with == 0, "the core is held when no frame is left in it");
    expect(!in.busy(), "what went in has come to its end");
    expect(out.busy() && out.into.data != second.data, "frames that were left went elsewhere, and another is waited for");
    out.start(third);  // the first of the epoch: a transfer waits for it already
    std::memset(out.into.data, 7, 100);
    registers.stale = 1;
    while (!out.finished()) {
    }
    expect(third.data[0] == 7 && third.data[99] == 7 && !third.data[100], "the first frame is where it was wanted");
    expect(registers.stale == 0 && !out.busy(), "no other is waited for");
}

// The same of a core that hardware joins to others, in two parts.
inline void held_runs(const std::function<void(bool, const std::string &)> &expect) {
    auto settings = echo_settings(100);
    settings.joined = true;
    for (auto &stream : settings.streams) stream.memory_bytes = 128;
    LateCore registers(settings);
    Core core(registers, settings);
    RunPorts ports;
    for (const auto &stream : settings.streams) ports.emplace(stream.index, std::make_unique<LatePort>(registers, stream));
    auto &in = static_cast<LatePort &>(*ports.at(0)), &out = static_cast<LatePort &>(*ports.at(1));
    RunEngine engine("node", ports, "nothing helps", false);
    in.start(in.take(128));
    registers.stale = 3;
    bool told = false;
    engine.hold(core, [&] { told = registers.held && !in.busy() && !registers.stale; });
    expect(told, "the node is told when the core is held and nothing is under way");
    expect(registers.opened && !registers.asked, "a transfer that the core has not begun to take is begun, and no reset drains");
    expect(registers.held && out.busy(), "the core is held on, and the next frame is waited for");
    engine.release(core);
    expect(!registers.held, "it is released by order");
    engine.detach(core, [] {});
    expect(registers.held && out.busy(), "at the end it is held, and what waits for a frame of another node waits on");
}

}  // namespace shellgen
