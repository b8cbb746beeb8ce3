// SPDX-License-Identifier: BSD-3-Clause
// Sources: Xilinx/XRT, src/runtime_src/core/edge/include/zynq_ioctl.h (numbers and structs) and core/edge/drm/zocl/zocl_bo.c (flags, caches);
// Linux, include/uapi/drm/drm.h (version, closing of handles).
#include "zocl_buffers.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "text.h"
#include "udma_buffers.h"

namespace shellgen {
namespace {

constexpr unsigned kVersion = 0x00, kClose = 0x09;                               // of DRM
constexpr unsigned kCreate = 0x40, kMap = 0x43, kSync = 0x44, kInfo = 0x45;      // of zocl, from DRM_COMMAND_BASE on
constexpr std::uint32_t kCacheable = 1 << 24;                                    // of the flags of a piece; bank 0, or CMA if there is none
constexpr std::uint32_t kToDevice = 0, kFromDevice = 1;
constexpr std::uint64_t kPiece = 1 << 20, kPage = 4096;  // short buffers share a piece

struct Version {
    int major, minor, patch;
    std::size_t name_bytes;
    char *name;
    std::size_t date_bytes;
    char *date;
    std::size_t text_bytes;
    char *text;
};
struct Close {
    std::uint32_t handle, unused;
};
struct Create {
    std::uint64_t size;
    std::uint32_t handle, flags;
};
struct Map {
    std::uint32_t handle, unused;
    std::uint64_t offset;
};
struct Sync {
    std::uint32_t handle, direction;
    std::uint64_t offset, size;
};
struct Info {
    std::uint32_t handle;
    std::uint64_t size, address;
};

template <class T>
bool ask(int file, unsigned number, T &asked) {
    int result = 0;
    do result = ioctl(file, _IOWR('d', number, T), &asked);
    while (result < 0 && (errno == EINTR || errno == EAGAIN));
    return result >= 0;
}

// The driver of a device, or nothing if it is none of DRM.
std::string driver_of(int file) {
    char name[32] = "";
    Version asked{};
    asked.name = name;
    asked.name_bytes = sizeof name - 1;
    return ask(file, kVersion, asked) ? printable(std::string(name, std::min(asked.name_bytes, sizeof name - 1))) : "";
}

bool is_of_zocl(int file) { return driver_of(file).rfind("zocl", 0) == 0; }

// The first device of DRM that is zocl's; -1 if there is none.
int find_device(const std::string &folder, std::string &found) {
    std::vector<std::string> names;
    if (auto *listing = opendir(folder.c_str())) {
        while (const auto *entry = readdir(listing))
            if (!std::strncmp(entry->d_name, "renderD", 7)) names.push_back(folder + "/" + entry->d_name);
        closedir(listing);
    }
    std::sort(names.begin(), names.end());
    for (const auto &name : names) {
        const int file = open(name.c_str(), O_RDWR | O_CLOEXEC);
        if (file < 0) continue;
        found = name;
        if (is_of_zocl(file)) return file;
        close(file);
    }
    return -1;
}

constexpr const char *kElsewhere = "; it is for boards with XRT's driver zocl, as PYNQ has it: give /dev/udmabuf0 elsewhere";

}  // namespace

bool is_zocl(const std::string &buffers) { return buffers == "zocl" || buffers.find("renderD") != std::string::npos; }

ZoclBuffers::ZoclBuffers(const Options &options, const NodeSettings &settings) : settings_(settings), device_(options.buffers) {
    if (device_ == "zocl") {
        file_ = find_device("/dev/dri", device_);
        if (file_ < 0) throw InputError(std::string("--buffers zocl: no device in /dev/dri that you may open is its") + kElsewhere);
        return;
    }
    file_ = open(device_.c_str(), O_RDWR | O_CLOEXEC);
    if (file_ < 0) throw InputError("--buffers " + device_ + ": " + std::strerror(errno) + kElsewhere);
    if (is_of_zocl(file_)) return;
    const auto driver = driver_of(file_);
    close(file_);
    throw InputError("--buffers " + device_ + ": its driver is " + (driver.empty() ? "unknown" : driver) + kElsewhere);
}

ZoclBuffers::~ZoclBuffers() {
    pieces_.clear();
    close(file_);  // gives all back
}

// A further piece; false if the kernel has none so large.
bool ZoclBuffers::add(std::uint64_t bytes) {
    Piece piece;
    piece.bytes = (bytes + kPage - 1) / kPage * kPage;
    Create made{piece.bytes, 0, kCacheable};
    if (!ask(file_, kCreate, made)) {
        if (errno == ENOMEM) return false;
        throw InputError(device_ + ": no memory is given: " + std::strerror(errno));
    }
    piece.handle = made.handle;
    Info info{made.handle, 0, 0};
    Map place{made.handle, 0, 0};
    if (!ask(file_, kInfo, info) || !ask(file_, kMap, place)) throw InputError(device_ + ": its memory cannot be reached: " + std::strerror(errno));
    piece.address = info.address;
    check_reach(device_, settings_, piece.address, piece.bytes);
    piece.memory = Mapping(file_, device_, place.offset, piece.bytes);
    auto *const at = piece.memory.at();
    std::memset(at, 0, piece.bytes);
    const Buffer whole{at, piece.address, piece.bytes};
    pieces_.emplace(at, std::move(piece));
    flush(whole, whole.bytes);  // so that the cache writes nothing of this back later, over what a DMA has written
    return true;
}

Buffer ZoclBuffers::take(std::size_t bytes) {
    const auto room = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
    wanted_ += room;
    for (int turn = 0; turn < 2; ++turn) {
        for (auto &[at, piece] : pieces_) {
            if (piece.bytes - piece.used < room) continue;
            const Buffer found{at + piece.used, piece.address + piece.used, bytes};
            piece.used += room;
            return found;
        }
        if (turn || !(add(std::max<std::uint64_t>(room, kPiece)) || add(room))) break;
    }
    lacking_ += room;
    missing_.emplace_back(bytes);  // until `taken`, which knows how many are missing
    return {missing_.back().data(), 0, bytes};
}

void ZoclBuffers::taken() {
    if (!lacking_) return;
    constexpr std::uint64_t step = 16 << 20;
    throw InputError(device_ + ": the kernel's CMA has " + std::to_string(lacking_) + " of " + std::to_string(wanted_) +
                     " bytes too few; give it more, such as cma=" + std::to_string(((wanted_ + step) / step * step + step) >> 20) +
                     "M on the kernel's command line, or have fewer frames in it (--slots of shellgen-node)");
}

void ZoclBuffers::give_back() {
    for (auto &[at, piece] : pieces_) piece.used = 0;
    missing_.clear();
    wanted_ = lacking_ = 0;
}

void ZoclBuffers::sync(const Buffer &buffer, std::size_t bytes, std::uint32_t direction) {
    auto found = pieces_.upper_bound(buffer.data);
    if (found == pieces_.begin()) return;  // it stands for one without room
    --found;
    const auto offset = static_cast<std::uint64_t>(buffer.data - found->first);
    if (offset >= found->second.bytes) return;
    Sync asked{found->second.handle, direction, offset, bytes};
    if (!ask(file_, kSync, asked)) throw BoardError(device_ + ": the cache is not written back: " + std::strerror(errno));
}

void ZoclBuffers::flush(const Buffer &buffer, std::size_t bytes) { sync(buffer, bytes, kToDevice); }

void ZoclBuffers::invalidate(const Buffer &buffer, std::size_t bytes) { sync(buffer, bytes, kFromDevice); }

}  // namespace shellgen
