// SPDX-License-Identifier: BSD-3-Clause
#include "axi_dma.h"

#include <chrono>
#include <cstdio>
#include <cstring>

#include "protocol.h"

namespace shellgen {
namespace {

constexpr std::chrono::seconds kRegisterPatience{1};  // for what takes some cycles

std::string status_text(std::uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof text, "%#llx", static_cast<unsigned long long>(value));
    return text;
}

}  // namespace

void AxiDma::wait(std::uint64_t at, std::uint32_t mask, const char *what) {
    const auto end = std::chrono::steady_clock::now() + kRegisterPatience;
    while (read(at) & mask)
        if (std::chrono::steady_clock::now() > end)
            throw BoardError(settings_.name + ": " + what + "; is this the bitstream of the map, and its clock on?");
}

void AxiDma::check(const Buffer &buffer) const {
    const auto where = settings_.name + ": a buffer of " + std::to_string(buffer.bytes) + " bytes was allocated at " + status_text(buffer.address);
    if (buffer.address % settings_.align) throw BoardError(where + ", which is not a multiple of " + std::to_string(settings_.align));
    for (const auto &range : settings_.memory)
        if (buffer.address >= range.base && buffer.bytes <= range.size && buffer.address - range.base <= range.size - buffer.bytes) return;
    throw BoardError(where + ", which it does not reach");
}

void AxiDma::reset() {
    const auto first = settings_.mm2s ? dma::kMm2s : dma::kS2mm;
    write(first + dma::kControl, dma::kReset);
    wait(first + dma::kControl, dma::kReset, "its reset does not end");
    if (static_cast<bool>(read(first + dma::kStatus) & dma::kHasDescriptors) != settings_.cyclic)
        throw BoardError(settings_.name + ": it is not the DMA of the map; load the bitstream of the map");
}

void AxiDma::run(std::uint64_t channel) {
    write(channel + dma::kControl, dma::kRun | dma::kDoneEnable | dma::kErrorEnable);
    wait(channel + dma::kStatus, dma::kHalted, "it does not leave its reset");
}

void AxiDma::start(std::uint64_t channel, const Buffer &buffer, std::uint32_t bytes) {
    write_address(channel + dma::kAddress, buffer.address);
    write(channel + dma::kLength, bytes);  // this starts it
}

void AxiDma::write_address(std::uint64_t at, std::uint64_t address) {
    write(at, static_cast<std::uint32_t>(address));
    if (settings_.address_bits > 32) write(at + 4, static_cast<std::uint32_t>(address >> 32));
}

// Two descriptors that point to each other: PG021 shows no ring of one.
void AxiDma::repeat(Buffers &buffers, const Buffer &frame, const Buffer &ring) {
    for (std::uint64_t k = 0; k < 2; ++k) {
        auto *at = ring.data + k * dma::kDescriptorBytes;
        std::memset(at, 0, dma::kDescriptorBytes);
        protocol::store<std::uint64_t>(at, ring.address + (1 - k) * dma::kDescriptorBytes);
        protocol::store<std::uint64_t>(at + 8, frame.address);
        protocol::store<std::uint32_t>(at + 24, static_cast<std::uint32_t>(frame.bytes) | dma::kFirst | dma::kLast);
    }
    buffers.flush(frame, frame.bytes);
    buffers.flush(ring, ring.bytes);
    write_address(dma::kDescriptor, ring.address);
    write(dma::kControl, dma::kRun | dma::kCyclic);
    wait(dma::kStatus, dma::kHalted, "it does not leave its reset");
    // This starts it; any address that no descriptor has, so that the ring never comes to its end.
    write_address(dma::kTail, ring.address + 2 * dma::kDescriptorBytes);
}

void AxiDma::verify() {
    const auto status = read(dma::kStatus);
    if (status & dma::kRingErrors)
        throw BoardError(settings_.name + ": it has stopped to send weights; DMASR is " + status_text(status));
}

bool AxiDma::finished(std::uint64_t channel) {
    const auto status = read(channel + dma::kStatus);
    if (status & dma::kErrors) {
        const char *what = status & dma::kInternal ? "more bytes came than LENGTH (DMAIntErr)"
                           : status & dma::kSlave  ? "the memory answered with an error (DMASlvErr)"
                                                   : "there is no memory at the address (DMADecErr)";
        throw BoardError(settings_.name + (channel == dma::kMm2s ? " MM2S: " : " S2MM: ") + what + "; DMASR is " +
                         status_text(status));
    }
    // Idle is 0 before the first transfer, too: callers ask only while one is under way.
    if (!(status & dma::kIdle)) return false;
    if (status & dma::kDone) write(channel + dma::kStatus, dma::kDone);
    return true;
}

}  // namespace shellgen
