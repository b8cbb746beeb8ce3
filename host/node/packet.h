// SPDX-License-Identifier: BSD-3-Clause
// Packets of a boundary between a card and a program, as docs/vnx.md has them.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace shellgen::packet {

// ---- packet, from packet.json
constexpr unsigned HEADER_BYTES = 32;
constexpr std::uint32_t IS_MAGIC = 0x4753;
constexpr std::uint32_t IS_VERSION = 0x03;
constexpr std::uint32_t DATA = 0;
constexpr std::uint32_t HELLO = 1;
constexpr std::uint32_t PROBE = 2;
constexpr std::uint32_t WELCOME = 8;
constexpr std::uint32_t ACK = 9;
constexpr std::uint32_t REFUSE = 10;
constexpr std::uint32_t RESTART = 11;
struct Field {
    const char *name;
    unsigned bit, bits;
    int refuse;
};
constexpr Field MAGIC{"magic", 0, 16, -1};
constexpr Field VERSION{"version", 16, 8, 9};
constexpr Field KIND{"kind", 24, 4, -1};
constexpr Field SOF{"sof", 28, 1, -1};
constexpr Field EOF_{"eof", 29, 1, -1};
constexpr Field NAK{"nak", 30, 1, -1};
constexpr Field TAINT{"taint", 31, 1, -1};
constexpr Field CRC{"crc", 32, 32, -1};
constexpr Field LINK{"link", 64, 16, 0};
constexpr Field BYTES{"bytes", 80, 16, -1};
constexpr Field SEQ{"seq", 96, 32, -1};
constexpr Field FRAME{"frame", 128, 32, -1};
constexpr Field TX_EPOCH{"tx_epoch", 160, 16, -1};
constexpr Field RX_EPOCH{"rx_epoch", 176, 16, -1};
constexpr Field TURN{"turn", 192, 32, -1};
constexpr Field CONTRACT{"contract", 256, 64, 1};
constexpr Field FRAME_BYTES{"frame_bytes", 320, 32, 2};
constexpr Field PACKET_BEATS{"packet_beats", 352, 16, 3};
constexpr Field PACKING{"packing", 368, 8, 4};
constexpr Field ROLE{"role", 376, 8, 5};
constexpr Field ELEMENT{"element", 384, 32, 6};
constexpr Field SHAPE{"shape", 416, 32, 7};
constexpr Field SLOTS{"slots", 448, 8, 8};
constexpr Field HAVE{"have", 256, 256, -1};

constexpr std::size_t kBeat = 64, kMostBeats = 256;
// What both ends must agree on: fields of HELLO and REFUSE.
constexpr std::array<const Field *, 9> kTerms{&LINK, &CONTRACT, &FRAME_BYTES, &PACKET_BEATS, &PACKING, &ROLE, &ELEMENT, &SHAPE, &SLOTS};

using Beat = std::array<std::uint8_t, kBeat>;

// A field of the first beat: of up to 64 bits, in one byte or of whole bytes.
inline std::uint64_t get(const std::uint8_t *beat, const Field &field) {
    if (field.bits < 8) return beat[field.bit / 8] >> field.bit % 8 & ((1u << field.bits) - 1);
    std::uint64_t found = 0;
    for (unsigned k = 0; k < field.bits / 8; ++k) found |= std::uint64_t{beat[field.bit / 8 + k]} << 8 * k;
    return found;
}

inline void put(std::uint8_t *beat, const Field &field, std::uint64_t value) {
    auto *const at = beat + field.bit / 8;
    if (field.bits < 8) *at = static_cast<std::uint8_t>(*at | value << field.bit % 8);
    else
        for (unsigned k = 0; k < field.bits / 8; ++k) at[k] = static_cast<std::uint8_t>(value >> 8 * k);
}

// How far a number is behind another one; numbers wrap.
inline std::int32_t after(std::uint32_t one, std::uint32_t other) { return static_cast<std::int32_t>(one - other); }

struct Terms {
    std::uint16_t link = 0;
    std::uint64_t contract = 0;
    std::uint32_t frame_bytes = 1;
    std::uint16_t packet_beats = 2;
    std::uint8_t packing = 0, role = 0;
    std::uint32_t element = 0, shape = 0;
    unsigned slots = 4;  // a power of two, up to 256

    std::uint32_t full_bytes() const { return static_cast<std::uint32_t>(packet_beats * kBeat - HEADER_BYTES); }
    std::uint32_t pieces() const { return (frame_bytes - 1) / full_bytes() + 1; }
    // Bytes of a piece of a frame.
    std::uint32_t bytes_of(std::uint64_t piece) const {
        return piece + 1 < pieces() ? full_bytes() : frame_bytes - (pieces() - 1) * full_bytes();
    }
    // Writes them into the second half of a beat.
    void write(std::uint8_t *beat) const;
    // The bits of REFUSE for the terms of somebody else.
    std::uint32_t differences(const std::uint8_t *beat) const;
};

// Names of the terms that differ.
std::string named(std::uint32_t differences);

// A datagram: the first bytes, and what follows them.
struct Datagram {
    Beat head{};
    std::size_t bytes = kBeat;
    const std::uint8_t *more = nullptr;
    std::size_t more_bytes = 0;
};

// Begins the head of a packet.
Beat head(std::uint32_t kind, std::uint16_t link);
// Writes the checksum.
void seal(Datagram &made);
// Whether a datagram is a packet of this protocol, and was not altered. A HELLO may have another version, so that it can be refused.
bool opened(std::uint8_t *data, std::size_t bytes);

}  // namespace shellgen::packet
