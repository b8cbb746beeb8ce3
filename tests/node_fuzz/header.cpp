// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the readers of messages: what is read and written again is the same, and no text of a peer is obeyed.
#include <cstdlib>

#include "text.h"
#include "wire.h"

namespace {

template <class T>
void both_ways(const std::uint8_t *bytes, std::size_t size) {
    std::uint8_t copy[T::kBytes] = {}, again[T::kBytes];
    std::memcpy(copy, bytes, std::min(size, sizeof copy));
    T::read(copy).write(again);
    if (std::memcmp(copy, again, sizeof copy)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
    using namespace shellgen;
    both_ways<Header>(bytes, size);
    both_ways<protocol::Hello>(bytes, size);
    both_ways<protocol::Welcome>(bytes, size);
    both_ways<protocol::Ack>(bytes, size);
    both_ways<protocol::Fault>(bytes, size);
    both_ways<protocol::Ping>(bytes, size);
    if (size) {
        const auto wanted = body_bytes(bytes[0]);
        if (wanted && *wanted > protocol::kMostBytes) std::abort();
    }
    const std::string text(reinterpret_cast<const char *>(bytes), size);
    for (const auto letter : printable(text))
        if (letter < 32 || letter > 126) std::abort();
    const auto message = fault(Header{}, Code::CORE, text);
    if (message.size() != protocol::kHeaderBytes + protocol::Fault::kBytes) std::abort();
    auto head = Header::read(message.data());
    const auto crc = head.crc;
    head.crc = 0;
    auto raw = message;
    head.write(raw.data());
    if (crc32c(0, raw.data(), raw.size()) != crc) std::abort();
    return 0;
}
