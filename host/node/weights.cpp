// SPDX-License-Identifier: BSD-3-Clause
#include "weights.h"

#include <chrono>
#include <fstream>
#include <optional>

#include "protocol.h"

namespace shellgen {
namespace {

// Whether a word has storage: thresholds are spaced by powers of two.
bool is_stored(const MemorySettings &memory, std::uint32_t word) {
    const auto row = word / memory.row_words;
    return word % memory.row_words < memory.row_used && row % memory.group_rows < memory.group_used;
}

template <class Act>
void each_register(const MemorySettings &memory, const std::uint8_t *content, Act &&act) {
    for (std::uint32_t word = 0; word < memory.words; ++word) {
        if (!is_stored(memory, word)) continue;
        for (std::uint32_t lane = 0; lane < memory.lanes; ++lane) {
            const auto at = std::uint64_t{word} * memory.lanes + lane;
            act(word, lane, memory.base + memory.stride * at, protocol::load<std::uint32_t>(content + 4 * at));
        }
    }
}

// The way to the memories: directly, or behind the bridge, which moves on from word to word by itself.
class Path {
public:
    Path(Registers &registers, const NodeSettings &settings) : registers_(registers), settings_(settings), bridge_(settings.bridge) {
        if (bridge_) registers_.write(bridge_->error, bridge_->kept);  // that of somebody before
    }

    void write(std::uint64_t address, std::uint32_t value) { registers_.write(at(address), value); }
    std::uint32_t read(std::uint64_t address) { return registers_.read(at(address)); }
    // Waits until all writes have been answered. Throws BoardError if one was answered with an error.
    void settle() {
        if (!bridge_) return;
        auto end = Clock::now() + kPatience;
        for (std::uint32_t left = 0, looks = 0; const auto now = registers_.read(bridge_->level) & bridge_->posted; ++looks) {
            if (now != left) end = Clock::now() + kPatience, left = now, looks = 0;
            if (Clock::now() > end && looks > kLooks)
                throw BoardError(settings_.name + ": the bridge to the memories does not answer; load the bitstream again");
        }
        if (!(registers_.read(bridge_->error) & bridge_->kept)) return;
        const auto address = registers_.read(bridge_->error_address);
        for (const auto &memory : settings_.memories)
            if (address >= memory.base && address - memory.base < memory.size)
                throw BoardError(settings_.name + ": layer " + memory.layer + ": word " + std::to_string((address - memory.base) / 4 / memory.lanes) +
                                 " was answered with an error");
        throw BoardError(settings_.name + ": address " + std::to_string(address) + " behind the bridge was answered with an error");
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kPatience{3};  // while no write is answered
    static constexpr std::uint32_t kLooks = 100;

    // Where an access to an address goes.
    std::uint64_t at(std::uint64_t address) {
        if (!bridge_) return address;
        if (next_ != address) registers_.write(bridge_->address, static_cast<std::uint32_t>(address));
        next_ = address + 4;
        return bridge_->data;
    }

    Registers &registers_;
    const NodeSettings &settings_;
    const std::optional<BridgeSettings> &bridge_;
    std::optional<std::uint64_t> next_;
};

}  // namespace

std::uint64_t weight_bytes(const NodeSettings &settings) {
    std::uint64_t found = 0;
    for (const auto &memory : settings.memories) found += 4 * std::uint64_t{memory.words} * memory.lanes;
    return found;
}

std::vector<std::uint8_t> read_weights(const std::string &path, const NodeSettings &settings) {
    std::vector<std::uint8_t> found(weight_bytes(settings));
    std::ifstream file(path, std::ios::binary);
    const bool whole = file.read(reinterpret_cast<char *>(found.data()), static_cast<std::streamsize>(found.size())) &&
                       file.peek() == std::ifstream::traits_type::eof();
    if (!whole)
        throw InputError("weights: the file has not the " + std::to_string(found.size()) + " bytes of the memories of node " +
                         settings.name + "; pack the weights of this build with shellgen weights");
    return found;
}

void load_weights(Registers &registers, const NodeSettings &settings, const std::vector<std::uint8_t> &content) {
    Path way(registers, settings);
    const auto *at = content.data();
    for (const auto &memory : settings.memories) {
        each_register(memory, at, [&](std::uint32_t, std::uint32_t, std::uint64_t address, std::uint32_t value) { way.write(address, value); });
        at += 4 * std::uint64_t{memory.words} * memory.lanes;
    }
    way.settle();
    at = content.data();
    for (const auto &memory : settings.memories) {
        each_register(memory, at, [&](std::uint32_t word, std::uint32_t lane, std::uint64_t address, std::uint32_t wanted) {
            const auto bits = memory.word_bits > 32 * lane ? memory.word_bits - 32 * lane : 0;
            const auto mask = bits >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << bits) - 1;
            if (const auto wrong = (way.read(address) ^ wanted) & mask)
                throw BoardError(settings.name + ": layer " + memory.layer + ": word " + std::to_string(word) + " bit " +
                                 std::to_string(32 * lane + static_cast<unsigned>(__builtin_ctz(wrong))) + " did not hold what was written");
        });
        at += 4 * std::uint64_t{memory.words} * memory.lanes;
    }
    way.settle();
}

}  // namespace shellgen
