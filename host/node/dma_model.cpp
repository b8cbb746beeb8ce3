// SPDX-License-Identifier: BSD-3-Clause
#include "dma_model.h"

#include <algorithm>

namespace shellgen {

Buffer ModelMemory::take(std::size_t bytes) {
    const auto room = (bytes + align_ - 1) / align_ * align_;
    if (used_ + room > range_.size) throw BoardError("the buffers do not fit the memory that the DMA reaches");
    auto piece = std::make_unique<Piece>();
    piece->address = range_.base + used_;
    piece->processor.resize(room);
    piece->device.resize(room);
    used_ += room;
    pieces_.push_back(std::move(piece));
    return {pieces_.back()->processor.data(), pieces_.back()->address, bytes};
}

std::uint8_t *ModelMemory::device(std::uint64_t address, std::size_t bytes) {
    // Asked for in each cycle of a simulated core, and by two threads; addresses ascend.
    const auto behind = std::upper_bound(pieces_.begin(), pieces_.end(), address,
                                         [](std::uint64_t at, const auto &piece) { return at < piece->address; });
    if (behind == pieces_.begin()) return nullptr;
    auto &piece = **(behind - 1);
    const auto at = address - piece.address;
    return bytes <= piece.device.size() && at <= piece.device.size() - bytes ? piece.device.data() + at : nullptr;
}

void ModelMemory::flush(const Buffer &buffer, std::size_t bytes) {
    std::memcpy(device(buffer.address, bytes), buffer.data, bytes);
}

void ModelMemory::invalidate(const Buffer &buffer, std::size_t bytes) {
    std::memcpy(buffer.data, device(buffer.address, bytes), bytes);
}

std::uint32_t DmaModel::read(std::uint64_t address) {
    const auto offset = address - settings.base;
    const auto &channel = offset < dma::kS2mm ? mm2s : s2mm;
    switch (offset % dma::kS2mm) {
        case dma::kControl: return channel.control;
        case dma::kStatus: return channel.status | (settings.cyclic ? dma::kHasDescriptors : 0u);
        case dma::kAddress: return static_cast<std::uint32_t>(channel.address);
        case dma::kAddress + 4: return static_cast<std::uint32_t>(channel.address >> 32);
        case dma::kLength: return channel.length;
        default: return 0;
    }
}

// Registers of descriptors, instead of ADDRESS and LENGTH. The last write of TAILDESC starts the ring.
bool DmaModel::write_ring(std::uint64_t offset, std::uint32_t value) {
    const bool wide = settings.address_bits > 32;
    const auto ready = [&] { return !(mm2s.status & dma::kHalted) && mm2s.control & dma::kCyclic; };
    switch (offset) {
        case dma::kDescriptor:
            if (mm2s.status & dma::kHalted) mm2s.descriptor = (mm2s.descriptor >> 32 << 32) | (value & ~63u);
            return true;
        case dma::kDescriptor + 4:
            if (mm2s.status & dma::kHalted && wide)
                mm2s.descriptor = static_cast<std::uint64_t>(value) << 32 | static_cast<std::uint32_t>(mm2s.descriptor);
            return true;
        case dma::kTail: mm2s.repeats |= !wide && ready(); return true;
        case dma::kTail + 4: mm2s.repeats |= wide && ready(); return true;
        case dma::kAddress:
        case dma::kAddress + 4:
        case dma::kLength: return true;  // there are none
        default: return false;
    }
}

void DmaModel::next(ModelMemory &memory) {
    constexpr std::uint32_t kNoDescriptor = 1 << 10, kBadDescriptor = 1 << 8, kBytes = (1 << 26) - 1;
    const auto *at = memory.device(mm2s.descriptor, dma::kDescriptorBytes);
    if (!at) return mm2s.fail(kNoDescriptor);
    std::uint64_t following = 0;
    std::uint32_t control = 0;
    std::memcpy(&following, at, 8);
    std::memcpy(&mm2s.address, at + 8, 8);
    std::memcpy(&control, at + 24, 4);
    mm2s.length = control & kBytes;
    if (!mm2s.length || (control & (dma::kFirst | dma::kLast)) != (dma::kFirst | dma::kLast)) return mm2s.fail(kBadDescriptor);
    mm2s.descriptor = following;
    mm2s.moved = 0;
    mm2s.active = true;
}

void DmaModel::write(std::uint64_t address, std::uint32_t value) {
    const auto offset = address - settings.base;
    if (settings.cyclic && write_ring(offset, value)) return;
    auto &channel = offset < dma::kS2mm ? mm2s : s2mm;
    switch (offset % dma::kS2mm) {
        case dma::kControl:
            if (value & dma::kReset) {  // of either channel: the whole DMA
                mm2s = s2mm = ChannelModel{};
                return;
            }
            channel.control = value | 2;
            if (value & dma::kRun) channel.status &= ~dma::kHalted;
            else channel.status = (channel.status & ~dma::kIdle) | dma::kHalted;
            return;
        case dma::kStatus: channel.status &= ~(value & (dma::kDone | 1u << 13 | 1u << 14)); return;
        // Without a realignment engine the lowest bits of an address do not count.
        case dma::kAddress:
            channel.address = (channel.address >> 32 << 32) | (value & ~static_cast<std::uint32_t>(settings.align - 1));
            return;
        case dma::kAddress + 4:
            if (settings.address_bits > 32)
                channel.address = static_cast<std::uint64_t>(value) << 32 | static_cast<std::uint32_t>(channel.address);
            return;
        case dma::kLength:
            if (channel.status & dma::kHalted || channel.active || !(value & mask())) return;
            channel.length = static_cast<std::uint32_t>(value & mask());
            channel.moved = 0;
            channel.active = true;
            channel.status &= ~dma::kIdle;
            return;
        default: return;
    }
}

}  // namespace shellgen
