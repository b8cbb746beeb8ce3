// SPDX-License-Identifier: BSD-3-Clause
// Stands for XRT's header of this name, as far as the host's programs use it. Registers are a file, or what a test
// connects; $STAND_IN_FLAGS lists the offsets of those whose bits are cleared by a 1. XRT lets one object at a time have
// an IP.
#pragma once
#include <xrt/xrt_device.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

namespace stand_in {
using Read = int (*)(const char *, uint32_t, uint32_t *);
using Write = int (*)(const char *, uint32_t, uint32_t);
inline Read read = nullptr;
inline Write write = nullptr;
inline std::set<std::string> taken;
} // namespace stand_in

extern "C" inline __attribute__((used)) void stand_in_connect(stand_in::Read read, stand_in::Write write)
{
    stand_in::read = read;
    stand_in::write = write;
}

namespace xrt {
class ip {
    struct opened {
        std::string name, file;
        uint32_t size;
        explicit opened(const std::string &given) : name(given) {}
        opened(const opened &) = delete;
        ~opened() { stand_in::taken.erase(name); }
    };
    std::shared_ptr<opened> own_;

    void check(uint32_t offset) const
    {
        if (offset + 4 > own_->size)
            throw std::out_of_range("Cannot read or write outside ip register space");
    }

public:
    ip() = default;
    [[deprecated("deprecated, please use ip(hw_context, name) instead")]] ip(const device &on, const uuid &id,
                                                                           const std::string &name)
    {
        // kernel:{instance} is the name that host code uses, kernel:instance that of the IP itself.
        const auto brace = name.find(":{");
        if (id.to_string().empty() || brace == std::string::npos || name.back() != '}')
            throw std::runtime_error("No IP matching '" + name + "'");
        const std::string canonical = name.substr(0, brace + 1) + name.substr(brace + 2, name.size() - brace - 3);
        const std::string file = on.folder() + "/" + canonical;
        std::ifstream content(file, std::ios::binary | std::ios::ate);
        if (!content)
            throw std::runtime_error("No IP matching '" + name + "'");
        if (!stand_in::taken.insert(file).second)
            throw std::runtime_error("failed to open ip context: Operation not permitted");
        own_ = std::make_shared<opened>(file);
        own_->file = file;
        own_->size = static_cast<uint32_t>(content.tellg());
    }
    void write_register(uint32_t offset, uint32_t data)
    {
        check(offset);
        if (stand_in::write) {
            if (stand_in::write(own_->file.c_str(), offset, data))
                throw std::runtime_error("write failed: Input/output error");
            return;
        }
        std::istringstream flags(std::getenv("STAND_IN_FLAGS") ? std::getenv("STAND_IN_FLAGS") : "");
        for (uint32_t flag; flags >> flag;)
            if (flag == offset)
                data = read_register(offset) & ~data;
        std::fstream content(own_->file, std::ios::binary | std::ios::in | std::ios::out);
        content.seekp(offset);
        content.write(reinterpret_cast<const char *>(&data), 4);
    }
    uint32_t read_register(uint32_t offset) const
    {
        check(offset);
        uint32_t data = 0;
        if (stand_in::read) {
            if (stand_in::read(own_->file.c_str(), offset, &data))
                throw std::runtime_error("read failed: Input/output error");
            return data;
        }
        std::ifstream content(own_->file, std::ios::binary);
        content.seekg(offset);
        content.read(reinterpret_cast<char *>(&data), 4);
        return data;
    }
};
} // namespace xrt
