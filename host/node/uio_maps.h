// SPDX-License-Identifier: BSD-3-Clause
// Registers by devices of UIO: the ranges that the device tree gives them. Source: "The Userspace I/O HOWTO" of Linux: map N of a device
// is mapped at offset N pages, and sysfs has its address, its size, and the offset of the first register in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shellgen {

// Whether a device is one of UIO, by its name.
bool is_uio(const std::string &device);

class UioMaps {
public:
    struct Place {
        std::string device;
        std::uint64_t offset = 0;  // where to map it
        std::uint64_t first = 0;   // the address that lies there
    };

    // Throws InputError if one is no device of UIO, or has no registers.
    UioMaps(const std::vector<std::string> &devices, const std::string &sysfs);
    // Where an address range lies. Throws InputError if no map has all of it; `what` it is.
    Place place(std::uint64_t base, std::uint64_t bytes, const std::string &what) const;

private:
    struct Map {
        std::string device;
        unsigned number = 0;
        std::uint64_t base = 0, bytes = 0;
    };

    std::vector<Map> maps_;
};

}  // namespace shellgen
