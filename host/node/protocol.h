// SPDX-License-Identifier: BSD-3-Clause
// From host/protocol.toml by `make protocol`. Do not edit.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace shellgen::protocol {

constexpr std::uint32_t kMagic = 0x48474853;
constexpr std::uint8_t kVersion = 4;
constexpr std::size_t kHeaderBytes = 32;
// The most bytes behind the header of a message that is no FRAME.
constexpr std::size_t kMostBytes = 4104;

template <class T>
T load(const std::uint8_t *at) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value |= static_cast<T>(static_cast<T>(at[i]) << (8 * i));
    return value;
}

template <class T>
void store(std::uint8_t *at, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
        at[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

enum class Type : std::uint8_t {
    HELLO = 1,
    WELCOME = 2,
    FRAME = 3,
    ACK = 4,
    FAULT = 5,
    PING = 6,
    BYE = 7,
    EPOCH = 8,
    STORE = 9,
    PIECE = 10,
    LOAD = 11,
    ORDER = 12,
};

enum class Flag : std::uint16_t {
    ANSWER = 1,
    HOLDS = 2,
    EMPTY = 4,
    HOLD = 8,
    TLS = 16,
};

enum class Role : std::uint8_t {
    SOURCE = 0,
    SINK = 1,
    CONTROL = 2,
    ORDERS = 3,
};

enum class Code : std::uint32_t {
    MALFORMED = 1,
    VERSION = 2,
    EDGE = 3,
    CONTRACT = 4,
    FRAME_BYTES = 5,
    BUILD_ID = 6,
    EPOCH = 7,
    TOKEN = 8,
    BUSY = 9,
    CHECKSUM = 10,
    ORDER = 11,
    CREDITS = 12,
    CORE = 13,
    STORE = 14,
    LOADED = 15,
};

struct Header {
    static constexpr std::size_t kBytes = 32;
    std::uint32_t magic = kMagic;
    std::uint8_t version = kVersion;
    std::uint8_t type = 0;
    std::uint16_t flags = 0;
    std::uint32_t edge = 0;
    std::uint32_t epoch = 0;
    std::uint64_t frame = 0;
    std::uint32_t bytes = 0;
    std::uint32_t crc = 0;

    void write(std::uint8_t *to) const {
        store(to + 0, magic);
        store(to + 4, version);
        store(to + 5, type);
        store(to + 6, flags);
        store(to + 8, edge);
        store(to + 12, epoch);
        store(to + 16, frame);
        store(to + 24, bytes);
        store(to + 28, crc);
    }
    static Header read(const std::uint8_t *from) {
        Header found;
        found.magic = load<std::uint32_t>(from + 0);
        found.version = load<std::uint8_t>(from + 4);
        found.type = load<std::uint8_t>(from + 5);
        found.flags = load<std::uint16_t>(from + 6);
        found.edge = load<std::uint32_t>(from + 8);
        found.epoch = load<std::uint32_t>(from + 12);
        found.frame = load<std::uint64_t>(from + 16);
        found.bytes = load<std::uint32_t>(from + 24);
        found.crc = load<std::uint32_t>(from + 28);
        return found;
    }
};

struct Hello {
    static constexpr std::size_t kBytes = 56;
    static constexpr Type kType = Type::HELLO;
    std::uint8_t low = 0;
    std::uint8_t high = 0;
    std::uint8_t role = 0;
    std::uint8_t spare = 0;
    std::uint32_t frame_bytes = 0;
    std::uint64_t contract = 0;
    std::uint64_t build_id = 0;
    std::array<std::uint8_t, 32> token{};

    void write(std::uint8_t *to) const {
        store(to + 0, low);
        store(to + 1, high);
        store(to + 2, role);
        store(to + 3, spare);
        store(to + 4, frame_bytes);
        store(to + 8, contract);
        store(to + 16, build_id);
        std::memcpy(to + 24, token.data(), 32);
    }
    static Hello read(const std::uint8_t *from) {
        Hello found;
        found.low = load<std::uint8_t>(from + 0);
        found.high = load<std::uint8_t>(from + 1);
        found.role = load<std::uint8_t>(from + 2);
        found.spare = load<std::uint8_t>(from + 3);
        found.frame_bytes = load<std::uint32_t>(from + 4);
        found.contract = load<std::uint64_t>(from + 8);
        found.build_id = load<std::uint64_t>(from + 16);
        std::memcpy(found.token.data(), from + 24, 32);
        return found;
    }
};

struct Welcome {
    static constexpr std::size_t kBytes = 16;
    static constexpr Type kType = Type::WELCOME;
    std::uint32_t credits = 0;
    std::uint32_t spare = 0;
    std::uint64_t build_id = 0;

    void write(std::uint8_t *to) const {
        store(to + 0, credits);
        store(to + 4, spare);
        store(to + 8, build_id);
    }
    static Welcome read(const std::uint8_t *from) {
        Welcome found;
        found.credits = load<std::uint32_t>(from + 0);
        found.spare = load<std::uint32_t>(from + 4);
        found.build_id = load<std::uint64_t>(from + 8);
        return found;
    }
};

struct Ack {
    static constexpr std::size_t kBytes = 8;
    static constexpr Type kType = Type::ACK;
    std::uint32_t credits = 0;
    std::uint32_t spare = 0;

    void write(std::uint8_t *to) const {
        store(to + 0, credits);
        store(to + 4, spare);
    }
    static Ack read(const std::uint8_t *from) {
        Ack found;
        found.credits = load<std::uint32_t>(from + 0);
        found.spare = load<std::uint32_t>(from + 4);
        return found;
    }
};

struct Fault {
    static constexpr std::size_t kBytes = 192;
    static constexpr Type kType = Type::FAULT;
    std::uint32_t code = 0;
    std::uint32_t length = 0;
    std::array<std::uint8_t, 184> text{};

    void write(std::uint8_t *to) const {
        store(to + 0, code);
        store(to + 4, length);
        std::memcpy(to + 8, text.data(), 184);
    }
    static Fault read(const std::uint8_t *from) {
        Fault found;
        found.code = load<std::uint32_t>(from + 0);
        found.length = load<std::uint32_t>(from + 4);
        std::memcpy(found.text.data(), from + 8, 184);
        return found;
    }
};

struct Ping {
    static constexpr std::size_t kBytes = 40;
    static constexpr Type kType = Type::PING;
    std::uint64_t received = 0;
    std::uint64_t made = 0;
    std::uint32_t waiting = 0;
    std::uint32_t unsent = 0;
    std::uint64_t inside_ns = 0;
    std::uint64_t copied = 0;

    void write(std::uint8_t *to) const {
        store(to + 0, received);
        store(to + 8, made);
        store(to + 16, waiting);
        store(to + 20, unsent);
        store(to + 24, inside_ns);
        store(to + 32, copied);
    }
    static Ping read(const std::uint8_t *from) {
        Ping found;
        found.received = load<std::uint64_t>(from + 0);
        found.made = load<std::uint64_t>(from + 8);
        found.waiting = load<std::uint32_t>(from + 16);
        found.unsent = load<std::uint32_t>(from + 20);
        found.inside_ns = load<std::uint64_t>(from + 24);
        found.copied = load<std::uint64_t>(from + 32);
        return found;
    }
};

struct Epoch {
    static constexpr std::size_t kBytes = 104;
    static constexpr Type kType = Type::EPOCH;
    std::array<std::uint8_t, 32> key{};
    std::array<std::uint8_t, 64> out{};
    std::uint32_t number = 0;
    std::uint32_t spare = 0;

    void write(std::uint8_t *to) const {
        std::memcpy(to + 0, key.data(), 32);
        std::memcpy(to + 32, out.data(), 64);
        store(to + 96, number);
        store(to + 100, spare);
    }
    static Epoch read(const std::uint8_t *from) {
        Epoch found;
        std::memcpy(found.key.data(), from + 0, 32);
        std::memcpy(found.out.data(), from + 32, 64);
        found.number = load<std::uint32_t>(from + 96);
        found.spare = load<std::uint32_t>(from + 100);
        return found;
    }
};

struct Store {
    static constexpr std::size_t kBytes = 120;
    static constexpr Type kType = Type::STORE;
    std::uint32_t kind = 0;
    std::uint32_t spare = 0;
    std::uint64_t size = 0;
    std::uint64_t build_id = 0;
    std::array<std::uint8_t, 32> hash{};
    std::array<std::uint8_t, 64> signature{};

    void write(std::uint8_t *to) const {
        store(to + 0, kind);
        store(to + 4, spare);
        store(to + 8, size);
        store(to + 16, build_id);
        std::memcpy(to + 24, hash.data(), 32);
        std::memcpy(to + 56, signature.data(), 64);
    }
    static Store read(const std::uint8_t *from) {
        Store found;
        found.kind = load<std::uint32_t>(from + 0);
        found.spare = load<std::uint32_t>(from + 4);
        found.size = load<std::uint64_t>(from + 8);
        found.build_id = load<std::uint64_t>(from + 16);
        std::memcpy(found.hash.data(), from + 24, 32);
        std::memcpy(found.signature.data(), from + 56, 64);
        return found;
    }
};

struct Piece {
    static constexpr std::size_t kBytes = 4104;
    static constexpr Type kType = Type::PIECE;
    std::uint32_t length = 0;
    std::uint32_t spare = 0;
    std::array<std::uint8_t, 4096> data{};

    void write(std::uint8_t *to) const {
        store(to + 0, length);
        store(to + 4, spare);
        std::memcpy(to + 8, data.data(), 4096);
    }
    static Piece read(const std::uint8_t *from) {
        Piece found;
        found.length = load<std::uint32_t>(from + 0);
        found.spare = load<std::uint32_t>(from + 4);
        std::memcpy(found.data.data(), from + 8, 4096);
        return found;
    }
};

struct Load {
    static constexpr std::size_t kBytes = 64;
    static constexpr Type kType = Type::LOAD;
    std::array<std::uint8_t, 32> bitstream{};
    std::array<std::uint8_t, 32> weights{};

    void write(std::uint8_t *to) const {
        std::memcpy(to + 0, bitstream.data(), 32);
        std::memcpy(to + 32, weights.data(), 32);
    }
    static Load read(const std::uint8_t *from) {
        Load found;
        std::memcpy(found.bitstream.data(), from + 0, 32);
        std::memcpy(found.weights.data(), from + 32, 32);
        return found;
    }
};

struct Order {
    static constexpr std::size_t kBytes = 8;
    static constexpr Type kType = Type::ORDER;
    std::uint32_t what = 0;
    std::uint32_t spare = 0;

    void write(std::uint8_t *to) const {
        store(to + 0, what);
        store(to + 4, spare);
    }
    static Order read(const std::uint8_t *from) {
        Order found;
        found.what = load<std::uint32_t>(from + 0);
        found.spare = load<std::uint32_t>(from + 4);
        return found;
    }
};

}  // namespace shellgen::protocol
