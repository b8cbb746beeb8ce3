// SPDX-License-Identifier: BSD-3-Clause
#include "crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>

#ifndef HWCAP_CRC32
#define HWCAP_CRC32 (1 << 7)
#endif
#endif

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

using Columns = std::array<std::uint32_t, 32>;

std::uint32_t times(const Columns &columns, std::uint32_t crc) {
    std::uint32_t found = 0;
    for (std::size_t bit = 0; crc; ++bit, crc >>= 1)
        if (crc & 1) found ^= columns[bit];
    return found;
}

#if defined(__x86_64__)
#define SHELLGEN_CRC __attribute__((target("sse4.2")))
SHELLGEN_CRC std::uint64_t eight(std::uint64_t crc, std::uint64_t word) { return __builtin_ia32_crc32di(crc, word); }
SHELLGEN_CRC std::uint32_t one(std::uint32_t crc, std::uint8_t byte) { return __builtin_ia32_crc32qi(crc, byte); }
bool has_instruction() { return __builtin_cpu_supports("sse4.2"); }
#elif defined(__aarch64__)
#define SHELLGEN_CRC __attribute__((target("+crc")))
SHELLGEN_CRC std::uint64_t eight(std::uint64_t crc, std::uint64_t word) {
    return __crc32cd(static_cast<std::uint32_t>(crc), word);
}
SHELLGEN_CRC std::uint32_t one(std::uint32_t crc, std::uint8_t byte) { return __crc32cb(crc, byte); }
bool has_instruction() { return getauxval(AT_HWCAP) & HWCAP_CRC32; }
#endif

#if defined(SHELLGEN_CRC)
constexpr std::size_t kLane = 2048;

std::uint64_t word_at(const std::uint8_t *at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// The instruction takes three cycles, and one can begin in each: three lanes side by side.
SHELLGEN_CRC std::uint32_t by_instruction(std::uint32_t crc, const std::uint8_t *at, std::size_t bytes) {
    static const Crc32cBehind lane(kLane);
    std::uint64_t wide = crc;
    for (; bytes >= 3 * kLane; at += 3 * kLane, bytes -= 3 * kLane) {
        std::uint64_t second = 0, third = 0;
        for (std::size_t i = 0; i < kLane; i += 8) {
            wide = eight(wide, word_at(at + i));
            second = eight(second, word_at(at + kLane + i));
            third = eight(third, word_at(at + 2 * kLane + i));
        }
        wide = lane(static_cast<std::uint32_t>(wide), static_cast<std::uint32_t>(second));
        wide = lane(static_cast<std::uint32_t>(wide), static_cast<std::uint32_t>(third));
    }
    for (; bytes >= 8; at += 8, bytes -= 8) wide = eight(wide, word_at(at));
    crc = static_cast<std::uint32_t>(wide);
    for (; bytes; ++at, --bytes) crc = one(crc, *at);
    return crc;
}

const bool kHasInstruction = has_instruction();
#endif

#if defined(__x86_64__)
#define SHELLGEN_FOLD __attribute__((target("avx512f,avx512vl,vpclmulqdq,pclmul,sse4.2")))
constexpr std::size_t kFolded = 256;  // bytes of a step: four registers

bool has_fold() {
    return has_instruction() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("pclmul");
}

// Multiplies both halves of 16 bytes by the powers that move them `bits` further: "Fast CRC Computation for Generic
// Polynomials Using PCLMULQDQ Instruction" (Intel, 2009), for bit-reflected data.
struct Moved {
    explicit Moved(unsigned bits) : first(power(bits + 32)), second(power(bits - 32)) {}
    static std::uint64_t power(unsigned bits) {
        std::uint32_t found = std::uint32_t{1} << 31;
        for (; bits; --bits) found = (found >> 1) ^ (found & 1 ? kPolynomial : 0);
        return std::uint64_t{found} << 1;
    }
    const std::uint64_t first, second;
};

SHELLGEN_FOLD inline __m128i both(const Moved &moved) {
    return _mm_set_epi64x(static_cast<long long>(moved.second), static_cast<long long>(moved.first));
}
SHELLGEN_FOLD inline __m512i four(const Moved &moved) {
    const auto first = static_cast<long long>(moved.first), second = static_cast<long long>(moved.second);
    return _mm512_set_epi64(second, first, second, first, second, first, second, first);
}
SHELLGEN_FOLD inline void fold(__m512i &value, __m512i powers, __m512i next) {
    const auto first = _mm512_clmulepi64_epi128(value, powers, 0x00), second = _mm512_clmulepi64_epi128(value, powers, 0x11);
    value = _mm512_ternarylogic_epi64(first, second, next, 0x96);
}

// 64 bytes per instruction, twice as fast as three lanes. What is left of the fold goes through by_instruction.
SHELLGEN_FOLD std::uint32_t by_fold(std::uint32_t crc, const std::uint8_t *at, std::size_t bytes) {
    static const Moved step(8 * kFolded), of_register(512), lane(128);
    auto a = _mm512_xor_si512(_mm512_loadu_si512(at), _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(crc))));
    auto b = _mm512_loadu_si512(at + 64), c = _mm512_loadu_si512(at + 128), d = _mm512_loadu_si512(at + 192);
    auto powers = four(step);
    for (at += kFolded, bytes -= kFolded; bytes >= kFolded; at += kFolded, bytes -= kFolded) {
        fold(a, powers, _mm512_loadu_si512(at));
        fold(b, powers, _mm512_loadu_si512(at + 64));
        fold(c, powers, _mm512_loadu_si512(at + 128));
        fold(d, powers, _mm512_loadu_si512(at + 192));
    }
    powers = four(of_register);
    for (const auto next : {b, c, d}) fold(a, powers, next);
    __m128i lanes[4];
    _mm512_storeu_si512(lanes, a);
    auto left = lanes[0];
    for (std::size_t i = 1; i < 4; ++i) {
        const auto first = _mm_clmulepi64_si128(left, both(lane), 0x00), second = _mm_clmulepi64_si128(left, both(lane), 0x11);
        left = _mm_xor_si128(_mm_xor_si128(first, second), lanes[i]);
    }
    std::uint8_t last[16];
    std::memcpy(last, &left, sizeof last);
    return by_instruction(by_instruction(0, last, sizeof last), at, bytes);
}

const bool kHasFold = has_fold();
#endif

}  // namespace

// A zero bit acts on the register like a matrix over two elements, whose powers are found by squaring.
Crc32cBehind::Crc32cBehind(std::uint64_t bytes) {
    Columns columns{}, power{};
    for (std::size_t bit = 0; bit < 32; ++bit) {
        columns[bit] = std::uint32_t{1} << bit;
        power[bit] = bit ? std::uint32_t{1} << (bit - 1) : kPolynomial;
    }
    for (auto bits = 8 * bytes; bits; bits >>= 1) {
        if (bits & 1)
            for (auto &column : columns) column = times(power, column);
        const auto one = power;
        for (auto &column : power) column = times(one, column);
    }
    for (std::uint32_t byte = 0; byte < 256; ++byte)
        for (std::size_t k = 0; k < 4; ++k) tables_[k][byte] = times(columns, byte << (8 * k));
}

std::uint32_t Crc32cBehind::operator()(std::uint32_t first, std::uint32_t second) const {
    return tables_[0][first & 255] ^ tables_[1][first >> 8 & 255] ^ tables_[2][first >> 16 & 255] ^ tables_[3][first >> 24] ^ second;
}

std::uint32_t crc32c(std::uint32_t before, const void *data, std::size_t bytes) {
    const auto *at = static_cast<const std::uint8_t *>(data);
#if defined(__x86_64__)
    if (kHasFold && bytes >= 2 * kFolded) return ~by_fold(~before, at, bytes);
#endif
#if defined(SHELLGEN_CRC)
    if (kHasInstruction) return ~by_instruction(~before, at, bytes);
#endif
    return ~by_tables(~before, at, bytes);
}

}  // namespace shellgen
