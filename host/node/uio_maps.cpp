// SPDX-License-Identifier: BSD-3-Clause
#include "uio_maps.h"

#include <unistd.h>

#include <fstream>

#include "settings.h"
#include "text.h"

namespace shellgen {
namespace {

std::string base_name(const std::string &device) { return device.substr(device.rfind('/') + 1); }

// A number of sysfs, such as 0x40000000; false if there is none.
bool read_number(const std::string &path, std::uint64_t &value) {
    std::ifstream file(path);
    std::string text;
    if (!(file >> text)) return false;
    try {
        value = std::stoull(text, nullptr, 0);
        return true;
    } catch (const std::exception &) {
        return false;
    }
}

std::string range(std::uint64_t base, std::uint64_t bytes) { return formatted("%#llx", base) + formatted(" to %#llx", base + bytes - 1); }

}  // namespace

bool is_uio(const std::string &device) { return base_name(device).rfind("uio", 0) == 0; }

UioMaps::UioMaps(const std::vector<std::string> &devices, const std::string &sysfs) {
    constexpr unsigned most = 5;  // of a device, as Linux has them
    for (const auto &device : devices) {
        const auto folder = sysfs + "/class/uio/" + base_name(device);
        if (!std::ifstream(folder + "/name")) throw InputError("--registers " + device + ": it is no device of UIO: there is no " + folder + "/name");
        const auto before = maps_.size();
        for (unsigned number = 0; number < most; ++number) {
            const auto map = folder + "/maps/map" + std::to_string(number);
            std::uint64_t address = 0, size = 0, offset = 0;
            if (!read_number(map + "/addr", address)) break;
            if (!read_number(map + "/size", size) || !read_number(map + "/offset", offset) || offset >= size || size - 1 > ~address)
                throw InputError("--registers " + device + ": " + map + " does not describe a range of addresses");
            maps_.push_back({device, number, address + offset, size - offset});
        }
        if (maps_.size() == before)
            throw InputError("--registers " + device + ": it has no registers; give its node in the device tree the field reg");
    }
}

UioMaps::Place UioMaps::place(std::uint64_t base, std::uint64_t bytes, const std::string &what) const {
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    std::string known;
    for (const auto &map : maps_) {
        if (base >= map.base && bytes <= map.bytes && base - map.base <= map.bytes - bytes)
            return {map.device, map.number * page, map.base / page * page};
        known += (known.empty() ? "" : ", ") + map.device + " " + range(map.base, map.bytes);
    }
    throw InputError("--registers: " + what + " has " + range(base, bytes) + ", and there is " + known +
                     "; let the field reg in the device tree have it, or give a further device, behind a comma");
}

}  // namespace shellgen
