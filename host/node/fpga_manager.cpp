// SPDX-License-Identifier: BSD-3-Clause
#include "fpga_manager.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <fstream>

#include "settings.h"

namespace shellgen {
namespace {

constexpr const char *kOperating = "operating";

std::string real(const std::string &path) {
    char found[PATH_MAX];
    return realpath(path.c_str(), found) ? found : "";
}

}  // namespace

FpgaManager::FpgaManager(std::string device, const std::string &firmware, const std::string &store)
    : device_(std::move(device)), firmware_(real(firmware) + "/") {
    if (state().empty()) throw InputError("--fpga: " + device_ + ": it has no state; the kernel has no FPGA manager there");
    for (const char *name : {"/flags", "/firmware"})
        if (access((device_ + name).c_str(), W_OK))
            throw InputError("--fpga: " + device_ + name + ": this program may not write it; the kernel must be the vendor's, and "
                             "70-shellgen.rules in place");
    if (real(store).rfind(firmware_, 0))
        throw InputError("--store: " + store + ": the kernel reads bitstreams below " + firmware + " only; give a folder there");
}

std::string FpgaManager::state() const {
    std::ifstream file(device_ + "/state");
    std::string found;
    std::getline(file, found);
    return found;
}

void FpgaManager::put(const char *attribute, const std::string &text) const {
    std::ofstream file(device_ + "/" + attribute);
    file << text << std::endl;
    if (!file) throw BoardError(device_ + "/" + attribute + ": the kernel refuses '" + text + "'; its state is '" + state() + "'");
}

bool FpgaManager::programmed() { return state() == kOperating; }

void FpgaManager::program(const std::string &path) {
    put("flags", "0");  // a whole bitstream
    put("firmware", real(path).substr(firmware_.size()));
    if (!programmed()) throw BoardError("the FPGA manager did not take the bitstream: its state is '" + state() + "'");
}

}  // namespace shellgen
