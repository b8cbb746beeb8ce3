// SPDX-License-Identifier: BSD-3-Clause
#include "memories.h"

#include <dirent.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "../text.h"

namespace shellgen {
namespace {

constexpr std::chrono::seconds kPatience{10};         // for all writes that the bridge holds

// Whether a word has storage: thresholds are spaced by powers of two.
bool is_stored(const MemorySettings &memory, std::uint32_t word) {
    const auto row = word / memory.row_words;
    return word % memory.row_words < memory.row_used && row % memory.group_rows < memory.group_used;
}

bool begins(const std::string &text, const std::string &with) { return text.compare(0, with.size(), with) == 0; }

// Whether FINN calls the file of this region so: <number>_<interface>_[<partition>_]<layer>.dat.
bool is_finn_name(const RegionSettings &region, const std::string &file) {
    char *rest = nullptr;
    if (!std::isdigit(static_cast<unsigned char>(file[0]))) return false;
    std::strtoul(file.c_str(), &rest, 10);
    if (*rest != '_' || !std::isdigit(static_cast<unsigned char>(rest[1]))) return false;
    if (std::strtoul(rest + 1, &rest, 10) != region.interface || *rest != '_') return false;
    std::string name = rest + 1;
    const auto prefix = region.partition + "_";
    if (begins(name, prefix) && !begins(region.layer, region.partition)) name.erase(0, prefix.size());
    return name == region.layer + ".dat";
}

struct Listing {
    explicit Listing(const std::string &folder) : at(opendir(folder.c_str())) {
        if (!at) throw InputError(folder + ": " + std::strerror(errno));
    }
    ~Listing() { closedir(at); }
    Listing(const Listing &) = delete;
    Listing &operator=(const Listing &) = delete;
    DIR *at;
};

// The file of a region; empty if there is none.
std::string find_file(const RegionSettings &region, const std::string &folder) {
    const auto own = folder + "/" + region.file;
    if (std::ifstream(own)) return own;
    const Listing listing(folder);
    std::string found;
    while (const auto *entry = readdir(listing.at)) {
        if (!is_finn_name(region, entry->d_name)) continue;
        if (!found.empty())
            throw InputError(folder + ": several files may be layer " + region.layer + "; rename one to " + region.file);
        found = folder + "/" + entry->d_name;
    }
    return found;
}

// Compares how a file says that it was packed with how the memory is: equal lengths prove nothing.
void check_folding(const RegionSettings &region, const std::string &path, const std::string &line) {
    const auto &memory = region.memory;
    const std::pair<const char *, std::uint32_t> known[] = {
        {"word_bits", memory.word_bits}, {"element_bits", region.element_bits}, {"pe", region.pe},
        {"simd", region.simd},           {"words", memory.words},               {"lanes", memory.lanes},
        {"row_words", memory.row_words}, {"row_used", memory.row_used},         {"group_rows", memory.group_rows},
        {"group_used", memory.group_used}};
    for (const auto &[name, value] : known) {
        const auto key = std::string("\"") + name + "\":";
        const auto at = line.find(key);
        if (at == std::string::npos) continue;
        const auto packed = std::strtoul(line.c_str() + at + key.size(), nullptr, 10);
        if (packed != value)
            throw InputError(path + ": packed for " + name + " " + std::to_string(packed) + ", and layer " + region.layer + " has " +
                             name + " " + std::to_string(value) + "; pack the weights of this very build with `shellgen weights`");
    }
}

std::uint32_t read_register(const std::string &path, const std::string &text) {
    if (text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
        throw InputError(path + ": a line is not a hexadecimal number");
    const auto digits = text.substr(std::min(text.find_first_not_of('0'), text.size() - 1));
    if (digits.size() > 8) throw InputError(path + ": a line has more than 32 bits");
    return static_cast<std::uint32_t>(std::stoul(digits, nullptr, 16));
}

// Bits above a word are zeros, or the sign of a number: no flops hold them, so nobody would notice bytes in another order.
void check_bits(const RegionSettings &region, const std::string &path, const std::vector<std::uint32_t> &registers) {
    const auto &memory = region.memory;
    for (std::size_t at = 0; at < registers.size(); ++at) {
        const auto below = 32 * (at % memory.lanes);
        const auto room = memory.word_bits > below ? std::min<std::size_t>(memory.word_bits - below, 32) : 0;
        const auto above = std::uint64_t{registers[at]} >> room;
        if (!above || above == (std::uint64_t{1} << (32 - room)) - 1) continue;
        char shown[9];
        std::snprintf(shown, sizeof shown, "%08x", registers[at]);
        throw InputError(path + ": register " + std::to_string(at) + " is " + shown + ", and a word of layer " + region.layer + " has " +
                         std::to_string(memory.word_bits) + " bits; pack the weights of this very build with `shellgen weights`");
    }
}

std::vector<std::uint32_t> read_file(const RegionSettings &region, const std::string &path) {
    std::ifstream file(path);
    if (!file) throw InputError(path + ": " + std::strerror(errno));
    const auto wanted = std::size_t{region.memory.words} * region.memory.lanes;
    std::vector<std::uint32_t> found;
    std::size_t count = 0;
    std::string line;
    for (bool first = true; std::getline(file, line); first = false) {
        if (first && begins(line, "//")) {
            check_folding(region, path, line);
            continue;
        }
        std::istringstream words(line);
        for (std::string text; words >> text; ++count) {
            const auto value = read_register(path, text);
            if (count < wanted) found.push_back(value);
        }
    }
    if (file.bad()) throw InputError(path + ": it cannot be read");
    if (count != wanted)
        throw InputError(path + ": " + std::to_string(count) + " registers, and layer " + region.layer + " has " + std::to_string(wanted));
    check_bits(region, path, found);
    return found;
}

}  // namespace

Contents read_folder(const HostMap &map, const std::string &folder, bool partial) {
    Contents found;
    std::size_t files = 0;
    std::string lacking;
    for (const auto &region : map.regions) {
        const auto path = find_file(region, folder);
        found.push_back(path.empty() ? std::vector<std::uint32_t>() : read_file(region, path));
        if (path.empty()) lacking = region.file;
        else ++files;
    }
    if (!lacking.empty() && (!files || !partial))
        throw InputError(folder + ": it has " + std::to_string(files) + " of " + std::to_string(map.regions.size()) + " files; " + lacking +
                         " is missing; load what is there as partial");
    return found;
}

// Waits until the bridge has answered all writes. Throws BoardError if it has seen an error.
void Memories::settle() {
    if (!map_.node.bridge) return;
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (registers_.read(map_.node.bridge->level) & map_.node.bridge->posted)
        if (std::chrono::steady_clock::now() > end)
            throw BoardError(map_.node.name + ": the bridge to the memories does not finish its writes; load the bitstream again");
    if (!(registers_.read(map_.node.bridge->error) & map_.node.bridge->kept)) return;
    const auto at = registers_.read(map_.node.bridge->error_address);
    for (const auto &region : map_.regions)
        if (at >= region.base && at - region.base < region.size)
            throw BoardError(map_.node.name + ": layer " + region.layer + ": word " +
                             std::to_string((at - region.base) / stride() / region.memory.lanes) + formatted(" at %#llx", at) +
                             ": answered with an error");
    throw BoardError(map_.node.name + formatted(": address %#llx", at) + ": answered with an error");
}

void Memories::word(const RegionSettings &region, std::uint32_t word, const std::uint32_t *wanted, bool writes) {
    const auto &memory = region.memory;
    const auto base = region.base + std::uint64_t{word} * memory.lanes * stride();
    const auto said = [&] { return map_.node.name + ": layer " + region.layer + ": word " + std::to_string(word); };
    // Behind the word before, the bridge has moved on to this one by itself.
    if (map_.node.bridge && !(word && is_stored(memory, word - 1))) registers_.write(map_.node.bridge->address, static_cast<std::uint32_t>(base));
    for (std::uint32_t lane = 0; lane < memory.lanes; ++lane) {
        const auto at = map_.node.bridge ? map_.node.bridge->data : base + std::uint64_t{lane} * stride();
        std::uint32_t found = 0;
        try {
            if (writes) registers_.write(at, wanted[lane]);
            else found = registers_.read(at);
        } catch (const AccessError &) {
            settle();  // the bridge knows the address behind it
            throw BoardError(said() + formatted(" at %#llx", at) + ": answered with an error");
        }
        if (writes) continue;
        const auto bits = memory.word_bits > 32 * lane ? memory.word_bits - 32 * lane : 0;
        const auto mask = bits >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << bits) - 1;
        const auto wrong = (wanted[lane] ^ found) & mask;
        if (!wrong) continue;
        const auto bit = static_cast<unsigned>(__builtin_ctz(wrong));
        throw BoardError(said() + " bit " + std::to_string(32 * lane + bit) + " is " + std::to_string(found >> bit & 1) + ", not " +
                         std::to_string(wanted[lane] >> bit & 1));
    }
}

void Memories::all(const Contents &contents, bool writes) {
    for (std::size_t k = 0; k < contents.size(); ++k) {
        const auto &region = map_.regions[k];
        tell_(k + (writes ? 0 : contents.size()), 2 * contents.size());
        if (contents[k].empty()) continue;
        for (std::uint32_t at = 0; at < region.memory.words; ++at)
            if (is_stored(region.memory, at)) word(region, at, contents[k].data() + std::size_t{at} * region.memory.lanes, writes);
    }
    settle();
}

void Memories::load(Core &core, const Contents &contents, bool compare_only) {
    core.check();
    if (map_.node.bridge) registers_.write(map_.node.bridge->error, map_.node.bridge->kept);  // what an earlier user left
    if (!compare_only) all(contents, true);
    all(contents, false);
}

}  // namespace shellgen
