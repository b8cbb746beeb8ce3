// SPDX-License-Identifier: BSD-3-Clause
#include "core_model.h"

#include <dlfcn.h>

#include <cstring>

#include "board.h"
#include "settings.h"

namespace shellgen {
namespace {

constexpr int kCyclesToAnswer = 100'000;  // cycles of an access to registers
constexpr int kResetCycles = 16;

unsigned bytes_of(unsigned bits) { return bits <= 8 ? 1 : bits <= 16 ? 2 : 4; }

}  // namespace

void set_pin(std::uint8_t *pin, std::uint32_t value, unsigned bytes) { std::memcpy(pin, &value, bytes); }

void CoreModel::load(const std::string &library) {
    library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) throw InputError(library + ": it cannot be loaded: " + dlerror());
    auto make = reinterpret_cast<void *(*)()>(dlsym(library_, "shellgen_core_make"));
    auto pins = reinterpret_cast<const shellgen_pin *(*)(void *)>(dlsym(library_, "shellgen_core_pins"));
    eval_ = reinterpret_cast<void (*)(void *)>(dlsym(library_, "shellgen_core_eval"));
    end_ = reinterpret_cast<void (*)(void *)>(dlsym(library_, "shellgen_core_end"));
    if (!make || !pins || !eval_ || !end_) throw InputError(library + ": it is no core of shellgen rehearse");
    core_ = make();
    pins_ = pins(core_);
    aclk_ = pin("aclk");
    aclk2x_ = nullptr;
    for (const auto *one = pins_; one->name; ++one)
        if (std::string(one->name) == "aclk2x") aclk2x_ = static_cast<std::uint8_t *>(one->at);
}

void CoreModel::unload() {
    pins_ = nullptr;
    if (core_) end_(core_);
    core_ = nullptr;
    if (library_) dlclose(library_);
    library_ = nullptr;
}

void CoreModel::reset(const Cycle &cycle) {
    auto *reset = pin("aresetn");
    set_pin(reset, 0);
    for (int i = 0; i < kResetCycles; ++i) cycle();
    set_pin(reset, 1);
    for (int i = 0; i < kResetCycles; ++i) cycle();
}

std::uint8_t *CoreModel::pin(const std::string &name, unsigned *bits) {
    if (!pins_) throw BoardError(name_ + ": nothing answers, since no bitstream is loaded");
    for (const auto *one = pins_; one->name; ++one)
        if (one->name == name) {
            if (bits) *bits = one->bits;
            return static_cast<std::uint8_t *>(one->at);
        }
    throw InputError("--model: its core has no pin " + name + "; it belongs to another map");
}

StreamPins CoreModel::stream_pins(const std::string &port) {
    StreamPins found;
    unsigned bits = 0;
    found.data = pin(port + "_tdata", &bits);
    found.bytes = bits / 8;
    found.keep = pin(port + "_tkeep");
    found.last = pin(port + "_tlast");
    found.valid = pin(port + "_tvalid");
    found.ready = pin(port + "_tready");
    return found;
}

std::uint32_t CoreModel::access(bool writes, std::uint64_t at, std::uint32_t value, const Cycle &cycle) {
    const std::string kind = writes ? "s_axil_aw" : "s_axil_ar";
    unsigned bits = 0;
    auto *address = pin(kind + "addr", &bits);
    set_pin(address, static_cast<std::uint32_t>(at & ((std::uint64_t{1} << bits) - 1)), bytes_of(bits));
    auto *valid = pin(kind + "valid"), *ready = pin(kind + "ready");
    set_pin(valid, 1);
    auto *wvalid = pin("s_axil_wvalid"), *wready = pin("s_axil_wready");
    if (writes) {
        unsigned width = 0;
        auto *data = pin("s_axil_wdata", &width);
        std::memset(data, 0, width / 8);  // a value has 32 bits, whatever the bus has
        set_pin(data, value, 4);
        set_pin(pin("s_axil_wstrb"), (1u << width / 8) - 1);
        set_pin(wvalid, 1);
    }
    auto *answered = pin(writes ? "s_axil_bvalid" : "s_axil_rvalid");
    auto *takes = pin(writes ? "s_axil_bready" : "s_axil_rready");
    set_pin(takes, 1);
    for (int i = 0; i < kCyclesToAnswer; ++i) {
        settle();
        const bool address_taken = *valid && *ready, data_taken = *wvalid && *wready, over = *answered;
        std::uint32_t found = 0, response = 0;
        std::memcpy(&found, pin("s_axil_rdata"), 4);
        response = *pin(writes ? "s_axil_bresp" : "s_axil_rresp") & 3u;
        cycle();
        if (address_taken) set_pin(valid, 0);
        if (data_taken) set_pin(wvalid, 0);
        if (!over) continue;
        set_pin(takes, 0);
        if (response) throw BoardError(name_ + ": an access to register " + std::to_string(at) + " was answered with an error");
        return found;
    }
    throw BoardError(name_ + ": an access to register " + std::to_string(at) + " was not answered");
}

void CoreModel::edge() {
    set_pin(aclk_, 1);
    if (aclk2x_) {
        set_pin(aclk2x_, 1);
        eval_(core_);
        set_pin(aclk2x_, 0);
        eval_(core_);
        set_pin(aclk2x_, 1);
    } else {
        eval_(core_);
    }
    set_pin(aclk_, 0);
    eval_(core_);
    if (aclk2x_) set_pin(aclk2x_, 0);
}

}  // namespace shellgen
