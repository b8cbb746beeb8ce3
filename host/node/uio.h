// SPDX-License-Identifier: BSD-3-Clause
// Interrupts by devices of UIO. Source: "The Userspace I/O HOWTO" of Linux: a read returns how many have come (4 bytes) once there
// are new ones, and uio_pdrv_genirq has then disabled the interrupt until 1 is written.
#pragma once

#include <string>
#include <vector>

namespace shellgen {

class Uio {
public:
    // Throws InputError if one of the devices cannot be opened, or has no interrupt.
    Uio(const std::vector<std::string> &devices, const std::string &sysfs);
    ~Uio();
    Uio(const Uio &) = delete;
    Uio &operator=(const Uio &) = delete;

    // A descriptor that is readable while one of them has something to be read.
    int event() const { return poll_; }
    // Reads what has come.
    void take();
    // Lets those that have come come again. Their cause must be gone: they are level-sensitive.
    void rearm();

private:
    struct Device {
        std::string name;
        int file = -1;
        bool came = false;
    };

    void close_all();
    static bool enable(const Device &device);

    std::vector<Device> devices_;
    int poll_ = -1;
};

}  // namespace shellgen
