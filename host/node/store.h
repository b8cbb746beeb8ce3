// SPDX-License-Identifier: BSD-3-Clause
// Files that the operator has sent: bitstreams and weights, each under its hash. Nothing of a message but a hash
// becomes part of a path, and only with a signature of the operator's key.
#pragma once

#include <openssl/evp.h>

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "protocol.h"

namespace shellgen {

using Hash = std::array<std::uint8_t, 32>;

// A file is refused: one sentence.
struct StoreError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class FileKind : std::uint32_t { BITSTREAM = 1, WEIGHTS = 2 };

class Store {
public:
    // `folder` exists; `key` is a file with the public key. Throws InputError if one of them cannot be used.
    Store(std::string folder, const std::string &key, std::uint64_t most_bytes);
    ~Store();

    // Throws StoreError unless the operator has signed it, for this core.
    void judge(const protocol::Store &file, std::uint64_t build_id) const;
    // Returns the first byte that is lacking: 0, or the size of a file that is there.
    std::uint64_t announce(const protocol::Store &file, std::uint64_t build_id);
    // Appends to the file that was announced last; returns the first byte that is lacking.
    std::uint64_t append(std::uint64_t at, const std::uint8_t *data, std::size_t bytes);
    bool receives() const { return file_ >= 0; }
    // Forgets the file that is under way.
    void abandon();
    // A whole file that was announced. Throws StoreError if there is none of this kind.
    const protocol::Store &known(const Hash &hash, FileKind kind) const;
    std::string path(const Hash &hash) const { return place(hash); }
    // The file that says what was loaded last.
    std::string last() const { return folder_ + "/last"; }
    // Throws StoreError if the content has another hash, and removes the file then. Takes its time.
    void verify(const Hash &hash) const;

private:
    std::string place(const Hash &hash) const;
    std::uint64_t used() const;

    std::string folder_;
    std::uint64_t most_;
    std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY *)> key_;
    std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX *)> digest_;
    std::map<Hash, protocol::Store> known_;  // announced with a right signature, and whole
    protocol::Store coming_;
    std::uint64_t next_ = 0;  // byte
    int file_ = -1;
};

}  // namespace shellgen
