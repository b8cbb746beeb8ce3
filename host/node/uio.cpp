// SPDX-License-Identifier: BSD-3-Clause
#include "uio.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "settings.h"

namespace shellgen {
namespace {

constexpr const char *kRemedy = "; give the UIO device of the DMAs' interrupt (docs/host-node.md, Interrupts), or leave --interrupt out: "
                                "they are polled then";

}  // namespace

Uio::Uio(const std::vector<std::string> &devices, const std::string &sysfs) : poll_(epoll_create1(EPOLL_CLOEXEC)) {
    std::string wrong;
    for (const auto &name : devices) {
        Device found{name, open(name.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK), false};
        const int error = errno;
        const auto entry = sysfs + "/class/uio/" + name.substr(name.rfind('/') + 1) + "/name";
        devices_.push_back(found);
        if (found.file < 0) wrong = std::strerror(error);
        else if (!std::ifstream(entry)) wrong = "it is no device of UIO: there is no " + entry;
        else if (!enable(found)) wrong = "it has no interrupt";
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = devices_.size() - 1;
        if (wrong.empty() && epoll_ctl(poll_, EPOLL_CTL_ADD, found.file, &event)) wrong = std::strerror(errno);
        if (wrong.empty()) continue;
        close_all();
        throw InputError("--interrupt " + name + ": " + wrong + kRemedy);
    }
}

Uio::~Uio() { close_all(); }

void Uio::close_all() {
    for (const auto &device : devices_)
        if (device.file >= 0) close(device.file);
    close(poll_);
}

bool Uio::enable(const Device &device) {
    const std::int32_t one = 1;
    return write(device.file, &one, sizeof one) == sizeof one;
}

void Uio::take() {
    for (auto &device : devices_) {
        std::int32_t count = 0;
        if (read(device.file, &count, sizeof count) == sizeof count) device.came = true;
    }
}

void Uio::rearm() {
    for (auto &device : devices_) {
        if (device.came) enable(device);
        device.came = false;
    }
}

}  // namespace shellgen
