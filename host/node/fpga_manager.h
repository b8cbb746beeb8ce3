// SPDX-License-Identifier: BSD-3-Clause
// Bitstreams by the FPGA manager of the vendor's Linux kernel.
// Sources: AMD, Solution Zynq PL Programming With FPGA Manager; Linux, Documentation/ABI/testing/sysfs-class-fpga-manager.
#pragma once

#include "board.h"

namespace shellgen {

class FpgaManager : public Programmer {
public:
    // `device` has the attributes state, flags and firmware; the kernel reads files below `firmware`, where `store`
    // must lie. Throws InputError if something of this is not so.
    FpgaManager(std::string device, const std::string &firmware, const std::string &store);

    bool programmed() override;
    void program(const std::string &path) override;

private:
    std::string state() const;
    void put(const char *attribute, const std::string &text) const;

    std::string device_, firmware_;
};

}  // namespace shellgen
