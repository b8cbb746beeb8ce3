// SPDX-License-Identifier: BSD-3-Clause
#include "packet.h"

#include "crc32c.h"

namespace shellgen::packet {
namespace {

constexpr Beat kZeros{};

std::uint64_t term(const Terms &terms, const Field &field) {
    if (&field == &LINK) return terms.link;
    if (&field == &CONTRACT) return terms.contract;
    if (&field == &FRAME_BYTES) return terms.frame_bytes;
    if (&field == &PACKET_BEATS) return terms.packet_beats;
    if (&field == &PACKING) return terms.packing;
    if (&field == &ROLE) return terms.role;
    if (&field == &ELEMENT) return terms.element;
    if (&field == &SHAPE) return terms.shape;
    unsigned log = 0;
    while (1u << log < terms.slots) ++log;
    return log;
}

// Goes on to whole beats.
std::uint32_t padded(std::uint32_t sum, std::size_t bytes) {
    const auto rest = bytes % kBeat;
    return rest ? crc32c(sum, kZeros.data(), kBeat - rest) : sum;
}

}  // namespace

void Terms::write(std::uint8_t *beat) const {
    for (const auto *field : kTerms) put(beat, *field, term(*this, *field));
}

std::uint32_t Terms::differences(const std::uint8_t *beat) const {
    std::uint32_t found = get(beat, VERSION) == IS_VERSION ? 0 : 1u << VERSION.refuse;
    for (const auto *field : kTerms)
        if (get(beat, *field) != term(*this, *field)) found |= 1u << field->refuse;
    return found;
}

std::string named(std::uint32_t differences) {
    std::string found;
    const auto add = [&](const Field &field) {
        if (differences >> field.refuse & 1) found += (found.empty() ? "" : ", ") + std::string(field.name);
    };
    for (const auto *field : kTerms) add(*field);
    add(VERSION);
    return found;
}

Beat head(std::uint32_t kind, std::uint16_t link) {
    Beat made{};
    put(made.data(), MAGIC, IS_MAGIC);
    put(made.data(), VERSION, IS_VERSION);
    put(made.data(), KIND, kind);
    put(made.data(), LINK, link);
    put(made.data(), BYTES, HEADER_BYTES);
    return made;
}

void seal(Datagram &made) {
    put(made.head.data(), CRC, 0);
    auto sum = crc32c(0, made.head.data(), made.bytes);
    if (made.more_bytes) sum = crc32c(sum, made.more, made.more_bytes);
    put(made.head.data(), CRC, padded(sum, made.bytes + made.more_bytes));
}

bool opened(std::uint8_t *data, std::size_t bytes) {
    if (bytes <= HEADER_BYTES || bytes > kMostBeats * kBeat || get(data, MAGIC) != IS_MAGIC) return false;
    if (get(data, VERSION) != IS_VERSION && get(data, KIND) != HELLO) return false;
    const auto told = get(data, CRC);
    put(data, CRC, 0);
    return padded(crc32c(0, data, bytes), bytes) == told;
}

}  // namespace shellgen::packet
