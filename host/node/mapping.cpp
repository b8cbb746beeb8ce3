// SPDX-License-Identifier: BSD-3-Clause
#include "mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "settings.h"

namespace shellgen {

Mapping::Mapping(const std::string &device, std::uint64_t offset, std::uint64_t bytes, const char *remedy) {
    const int file = open(device.c_str(), O_RDWR | O_SYNC | O_CLOEXEC);
    if (file < 0) throw InputError(device + ": " + std::strerror(errno) + "; " + remedy);
    try {
        *this = Mapping(file, device, offset, bytes);
    } catch (...) {
        close(file);
        throw;
    }
    close(file);
}

Mapping::Mapping(int file, const std::string &device, std::uint64_t offset, std::uint64_t bytes) : bytes_(bytes) {
    at_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
    if (at_ != MAP_FAILED) return;
    const int error = errno;
    at_ = nullptr;
    throw InputError(device + ": " + std::to_string(bytes) + " bytes cannot be mapped: " + std::strerror(error));
}

Mapping::~Mapping() {
    if (at_) munmap(at_, bytes_);
}

}  // namespace shellgen
