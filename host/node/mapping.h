// SPDX-License-Identifier: BSD-3-Clause
// Memory of a device in the address space of this process.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace shellgen {

class Mapping {
public:
    Mapping() = default;
    // Opens a device and maps it without a cache. Throws InputError, with what helps if it cannot be opened.
    Mapping(const std::string &device, std::uint64_t offset, std::uint64_t bytes, const char *remedy);
    // Maps a device that is open.
    Mapping(int file, const std::string &device, std::uint64_t offset, std::uint64_t bytes);
    ~Mapping();
    Mapping(Mapping &&other) noexcept : at_(std::exchange(other.at_, nullptr)), bytes_(other.bytes_) {}
    Mapping &operator=(Mapping &&other) noexcept {
        std::swap(at_, other.at_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }

    std::uint8_t *at() const { return static_cast<std::uint8_t *>(at_); }

private:
    void *at_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace shellgen
