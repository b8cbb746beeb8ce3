// SPDX-License-Identifier: BSD-3-Clause
//
// Values between Verilator's ports and DPI, for the models that stand behind a bench's partitions.
#ifndef SHELLGEN_BLOCK_PORT_H
#define SHELLGEN_BLOCK_PORT_H

#include <cstring>

#include "svdpi.h"
#include "verilated.h"

// Set a port; true if that changed it.
template <typename Port>
static inline bool block_set(Port& port, const Port value) {
    const bool changed = port != value;
    port = value;
    return changed;
}

static inline bool block_take(CData& port, const svBit value) { return block_set<CData>(port, value); }
static inline bool block_take(CData& port, const svBitVecVal* from) {
    return block_set(port, static_cast<CData>(*from));
}
static inline bool block_take(SData& port, const svBitVecVal* from) {
    return block_set(port, static_cast<SData>(*from));
}
static inline bool block_take(IData& port, const svBitVecVal* from) { return block_set<IData>(port, *from); }
static inline bool block_take(QData& port, const svBitVecVal* from) {
    return block_set(port, static_cast<QData>(from[1]) << 32 | from[0]);
}
template <std::size_t Words>
static inline bool block_take(VlWide<Words>& port, const svBitVecVal* from) {
    if (!std::memcmp(&port, from, sizeof port)) return false;
    std::memcpy(&port, from, sizeof port);
    return true;
}

static inline void block_give(const CData value, svBit* to) { *to = value; }
static inline void block_give(const CData value, svBitVecVal* to) { *to = value; }
static inline void block_give(const SData value, svBitVecVal* to) { *to = value; }
static inline void block_give(const IData value, svBitVecVal* to) { *to = value; }
static inline void block_give(const QData value, svBitVecVal* to) {
    to[0] = static_cast<svBitVecVal>(value);
    to[1] = static_cast<svBitVecVal>(value >> 32);
}
template <std::size_t Words>
static inline void block_give(const VlWide<Words>& value, svBitVecVal* to) {
    std::memcpy(to, &value, sizeof value);
}

#endif
