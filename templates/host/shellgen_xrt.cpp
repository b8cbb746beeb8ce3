// SPDX-License-Identifier: BSD-3-Clause
// Registers of kernels through XRT, as a library that the host's programs use in Python and in C; XRT 2.11 (2021.1) and
// later. Only XRT's C++ interface reaches registers of kernels that nobody starts: pyxrt has no class for them.
//
//   g++ -std=c++17 -O2 -shared -fPIC -I$XILINX_XRT/include host/shellgen_xrt.cpp -o host/libshellgen_xrt.so
//       -L$XILINX_XRT/lib -lxrt_coreutil
//
// Source: XRT, xrt_device.h and xrt_ip.h.
#include "shellgen_xrt.h"

// Newer releases prefer hw_context to the two calls below, which all releases have.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <xrt/xrt_device.h>
#include <xrt/xrt_uuid.h>

#include <experimental/xrt_ip.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

struct shellgen_xrt_card {
    xrt::device device;
    xrt::uuid xclbin;
    std::vector<xrt::ip> ips;
};

namespace {

// Do what may throw; tell what was thrown.
template <typename Act>
bool done(Act act, char *text, size_t size)
{
    try {
        act();
        return true;
    } catch (const std::exception &error) {
        std::snprintf(text, size, "%s", error.what());
    } catch (...) {
        std::snprintf(text, size, "XRT stopped without a message");
    }
    return false;
}

xrt::device opened(const std::string &name)
{
    if (name.find_first_not_of("0123456789") == std::string::npos)
        return xrt::device(static_cast<unsigned int>(std::stoul(name)));
    return xrt::device(name);
}

} // namespace

shellgen_xrt_card *shellgen_xrt_open(const char *device, const char *xclbin, char *text, size_t size)
{
    shellgen_xrt_card *card = nullptr;
    const auto open = [&] {
        xrt::device found = opened(device);
        const xrt::uuid id = found.load_xclbin(std::string(xclbin));
        card = new shellgen_xrt_card{found, id, {}};
    };
    return done(open, text, size) ? card : nullptr;
}

int shellgen_xrt_ip(shellgen_xrt_card *card, const char *name, char *text, size_t size)
{
    const auto open = [&] { card->ips.push_back(xrt::ip(card->device, card->xclbin, std::string(name))); };
    return done(open, text, size) ? static_cast<int>(card->ips.size()) - 1 : -1;
}

int shellgen_xrt_read(shellgen_xrt_card *card, int ip, uint32_t offset, uint32_t *value, char *text, size_t size)
{
    const auto read = [&] { *value = card->ips.at(static_cast<size_t>(ip)).read_register(offset); };
    return done(read, text, size) ? 0 : -1;
}

int shellgen_xrt_write(shellgen_xrt_card *card, int ip, uint32_t offset, uint32_t value, char *text, size_t size)
{
    const auto write = [&] { card->ips.at(static_cast<size_t>(ip)).write_register(offset, value); };
    return done(write, text, size) ? 0 : -1;
}

void shellgen_xrt_close(shellgen_xrt_card *card)
{
    delete card;
}
