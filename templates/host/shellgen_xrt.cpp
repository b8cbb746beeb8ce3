// SPDX-License-Identifier: BSD-3-Clause
// Registers of kernels through XRT, as a library that the host's programs use in Python and in C; XRT 2.11 (2021.1) and
// later. Only XRT's C++ interface reaches registers of kernels that nobody starts: pyxrt has no class for them.
//
//   g++ -std=c++17 -O2 -shared -fPIC -I$XILINX_XRT/include host/shellgen_xrt.cpp -o host/libshellgen_xrt.so
//       -L$XILINX_XRT/lib -lxrt_coreutil
//
// Source: XRT, xrt_bo.h, xrt_device.h, xrt_ip.h and xrt_xclbin.h.
#include "shellgen_xrt.h"

// Newer releases prefer hw_context to the two calls below, which all releases have.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_uuid.h>

#include <experimental/xrt_ip.h>
#include <experimental/xrt_xclbin.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

struct shellgen_xrt_card {
    xrt::device device;
    xrt::uuid xclbin;
    std::string file;
    std::vector<xrt::ip> ips;
    std::vector<xrt::bo> buffers;
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

// The number of a bank that the xclbin uses. XRT has no group of an argument for a kernel that nobody starts, but the bank
// is known: link.cfg names it. Older platforms call DDR[1] bank1.
xrtMemoryGroup group_of(const std::string &file, const std::string &bank)
{
    std::string old = bank;
    if (bank.rfind("DDR[", 0) == 0)
        old = "bank" + bank.substr(4, bank.size() - 5);
    std::string known;
    for (const auto &memory : xrt::xclbin(file).get_mems()) {
        if (!memory.get_used())
            continue;
        if (memory.get_tag() == bank || memory.get_tag() == old)
            return static_cast<xrtMemoryGroup>(memory.get_index());
        known += (known.empty() ? "" : ", ") + memory.get_tag();
    }
    throw std::runtime_error("it uses no bank " + bank + (known.empty() ? "" : ", but " + known));
}

} // namespace

shellgen_xrt_card *shellgen_xrt_open(const char *device, const char *xclbin, char *text, size_t size)
{
    shellgen_xrt_card *card = nullptr;
    const auto open = [&] {
        xrt::device found = opened(device);
        const xrt::uuid id = found.load_xclbin(std::string(xclbin));
        card = new shellgen_xrt_card{found, id, xclbin, {}, {}};
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

int shellgen_xrt_take(shellgen_xrt_card *card, const char *bank, uint64_t bytes, uint64_t *address, char *text, size_t size)
{
    // Of the card, without a copy in the host's memory: nobody there looks at it. What the card reaches of the host's
    // own memory is what `xbutil configure --host-mem` has set aside (XRT, Host Memory Access).
    const auto take = [&] {
        const xrtMemoryGroup group = group_of(card->file, bank);
        const auto kind = std::string(bank) == "HOST[0]" ? xrt::bo::flags::host_only : xrt::bo::flags::device_only;
        const xrt::bo buffer(card->device, static_cast<size_t>(bytes), kind, group);
        *address = buffer.address();
        card->buffers.push_back(buffer);
    };
    return done(take, text, size) ? static_cast<int>(card->buffers.size()) - 1 : -1;
}

void shellgen_xrt_give(shellgen_xrt_card *card, int number)
{
    card->buffers.at(static_cast<size_t>(number)) = xrt::bo();
}

void shellgen_xrt_close(shellgen_xrt_card *card)
{
    delete card;
}
