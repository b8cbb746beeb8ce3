// SPDX-License-Identifier: BSD-3-Clause
// Stands for XRT's header of this name, as far as the host's programs use it: each line behind the first of an xclbin is
// the name of a bank, with a + if a kernel uses it.
#pragma once
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace xrt {
class xclbin {
public:
    class mem {
    public:
        mem(std::string tag, bool used, int32_t index) : tag_(std::move(tag)), used_(used), index_(index) {}
        std::string get_tag() const { return tag_; }
        bool get_used() const { return used_; }
        int32_t get_index() const { return index_; }

    private:
        std::string tag_;
        bool used_;
        int32_t index_;
    };

    explicit xclbin(const std::string &file)
    {
        std::ifstream content(file);
        std::string line;
        std::getline(content, line);
        while (std::getline(content, line)) {
            const bool used = !line.empty() && line.back() == '+';
            mems_.emplace_back(used ? line.substr(0, line.size() - 1) : line, used, static_cast<int32_t>(mems_.size()));
        }
    }
    std::vector<mem> get_mems() const { return mems_; }

private:
    std::vector<mem> mems_;
};
} // namespace xrt
