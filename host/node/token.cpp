// SPDX-License-Identifier: BSD-3-Clause
#include "token.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <stdexcept>

#include "protocol.h"

namespace shellgen {
namespace {

constexpr std::size_t kNumberBytes = 8;

}  // namespace

bool same(const Secret &one, const Secret &other) { return CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0; }

Secret one_time_token(const Secret &key, std::uint8_t role, std::uint32_t edge, std::uint32_t epoch, std::uint64_t number) {
    std::uint8_t text[17];
    text[0] = role;
    protocol::store(text + 1, edge);
    protocol::store(text + 5, epoch);
    protocol::store(text + 9, number);
    std::uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), text, sizeof text, digest, &size))
        throw std::runtime_error("OpenSSL cannot make an HMAC-SHA-256");
    Secret found{};
    protocol::store(found.data(), number);
    std::copy_n(digest, found.size() - kNumberBytes, found.begin() + kNumberBytes);
    return found;
}

void TokenGate::begin(const Secret &key, std::uint32_t epoch) {
    key_ = key;
    epoch_ = epoch;
    last_.clear();
}

bool TokenGate::take(const Secret &token, std::uint8_t role, std::uint32_t edge) {
    const auto number = protocol::load<std::uint64_t>(token.data());
    if (!same(token, one_time_token(key_, role, edge, epoch_, number))) return false;
    auto &last = last_[{role, edge}];
    if (number <= last) return false;
    last = number;
    return true;
}

}  // namespace shellgen
