// SPDX-License-Identifier: BSD-3-Clause
// Stands for XRT's header of this name, as far as the host's programs use it: a card is a folder of the folder
// $STAND_IN, by its number or PCIe address, and each kernel is a file in it, <kernel>:<instance>, with its registers.
#pragma once
#include "xrt_uuid.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

namespace xrt {
class device {
public:
    device() = default;
    explicit device(unsigned int index) : device(std::to_string(index)) {}
    explicit device(const std::string &bdf) : folder_(std::string(std::getenv("STAND_IN")) + "/" + bdf)
    {
        if (!std::ifstream(folder_ + "/loaded"))
            throw std::runtime_error("Could not open device with index '" + bdf + "'");
    }
    [[deprecated("deprecated, please use hw_context() instead")]] uuid load_xclbin(const std::string &file)
    {
        std::ifstream content(file);
        std::string id;
        if (!std::getline(content, id) || id.rfind("xclbin2", 0) != 0)
            throw std::runtime_error("failed to load xclbin: Invalid argument");
        std::ofstream(folder_ + "/loaded", std::ios::app) << id << "\n";
        return uuid(id);
    }
    const std::string &folder() const { return folder_; }

private:
    std::string folder_;
};
} // namespace xrt
