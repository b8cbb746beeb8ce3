// SPDX-License-Identifier: BSD-3-Clause
#include "crc32c.h"

#include <array>
#include <cstring>

namespace shellgen {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // of CRC-32C, lowest bit first

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

Tables make_tables() {
    Tables tables{};
    for (std::uint32_t value = 0; value < 256; ++value) {
        std::uint32_t crc = value;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? kPolynomial : 0);
        tables[0][value] = crc;
    }
    for (std::uint32_t value = 0; value < 256; ++value)
        for (std::size_t k = 1; k < 8; ++k)
            tables[k][value] = (tables[k - 1][value] >> 8) ^ tables[0][tables[k - 1][value] & 255];
    return tables;
}

const Tables kTables = make_tables();

// Eight bytes per step, for processors without the instruction (Cortex-A9).
std::uint32_t by_tables(std::uint32_t crc, const std::uint8_t *at, std::size_t bytes) {
    for (; bytes >= 8; at += 8, bytes -= 8) {
        const std::uint32_t low = crc ^ (at[0] | at[1] << 8 | at[2] << 16 | static_cast<std::uint32_t>(at[3]) << 24);
        crc = kTables[7][low & 255] ^ kTables[6][low >> 8 & 255] ^ kTables[5][low >> 16 & 255] ^
              kTables[4][low >> 24] ^ kTables[3][at[4]] ^ kTables[2][at[5]] ^ kTables[1][at[6]] ^ kTables[0][at[7]];
    }
    for (; bytes; ++at, --bytes) crc = (crc >> 8) ^ kTables[0][(crc ^ *at) & 255];
    return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::uint32_t crc, const std::uint8_t *at,
                                                               std::size_t bytes) {
    std::uint64_t wide = crc;
    for (; bytes >= 8; at += 8, bytes -= 8) {
        std::uint64_t word;
        std::memcpy(&word, at, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = static_cast<std::uint32_t>(wide);
    for (; bytes; ++at, --bytes) crc = __builtin_ia32_crc32qi(crc, *at);
    return crc;
}

const bool kHasInstruction = __builtin_cpu_supports("sse4.2");
#endif

using Columns = std::array<std::uint32_t, 32>;

std::uint32_t times(const Columns &columns, std::uint32_t crc) {
    std::uint32_t found = 0;
    for (std::size_t bit = 0; crc; ++bit, crc >>= 1)
        if (crc & 1) found ^= columns[bit];
    return found;
}

}  // namespace

// A zero bit acts on the register like a matrix over two elements, whose powers are found by squaring.
Crc32cBehind::Crc32cBehind(std::uint64_t bytes) {
    Columns power{};
    for (std::size_t bit = 0; bit < 32; ++bit) {
        columns_[bit] = std::uint32_t{1} << bit;
        power[bit] = bit ? std::uint32_t{1} << (bit - 1) : kPolynomial;
    }
    for (auto bits = 8 * bytes; bits; bits >>= 1) {
        if (bits & 1)
            for (auto &column : columns_) column = times(power, column);
        const auto one = power;
        for (auto &column : power) column = times(one, column);
    }
}

std::uint32_t Crc32cBehind::operator()(std::uint32_t first, std::uint32_t second) const { return times(columns_, first) ^ second; }

std::uint32_t crc32c(std::uint32_t before, const void *data, std::size_t bytes) {
    const auto *at = static_cast<const std::uint8_t *>(data);
#if defined(__x86_64__)
    if (kHasInstruction) return ~by_instruction(~before, at, bytes);
#endif
    return ~by_tables(~before, at, bytes);
}

}  // namespace shellgen
