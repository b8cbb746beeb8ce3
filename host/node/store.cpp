// SPDX-License-Identifier: BSD-3-Clause
#include "store.h"

#include <dirent.h>
#include <fcntl.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "settings.h"

namespace shellgen {
namespace {

constexpr std::uint64_t kMostFile = 64 << 20;  // the largest bitstreams of Zynq UltraScale+ have 45 MB
constexpr std::size_t kMostKnown = 32;         // files that can be loaded
constexpr char kDomain[] = "shellgen file v1";
constexpr std::size_t kSigned = 56;  // bytes of STORE before its signature

const char *said(FileKind kind) { return kind == FileKind::BITSTREAM ? "bitstream" : "file of weights"; }

}  // namespace

Store::Store(std::string folder, const std::string &key, std::uint64_t most_bytes)
    : folder_(std::move(folder)), most_(most_bytes), key_(nullptr, EVP_PKEY_free), digest_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(key.c_str(), "rb"), std::fclose);
    if (file) key_.reset(PEM_read_PUBKEY(file.get(), nullptr, nullptr, nullptr));
    if (!key_ || EVP_PKEY_base_id(key_.get()) != EVP_PKEY_ED25519)
        throw InputError("--store: " + key + ": there is no Ed25519 key; copy this node's folder that shellgen host keys made");
    if (access(folder_.c_str(), R_OK | W_OK | X_OK))
        throw InputError("--store: " + folder_ + ": " + std::strerror(errno) + "; give a folder that this program may write");
    used();
}

Store::~Store() { abandon(); }

std::string Store::place(const Hash &hash) const {
    static const char digits[] = "0123456789abcdef";
    std::string name;
    for (const auto byte : hash) {
        name += digits[byte >> 4];
        name += digits[byte & 15];
    }
    return folder_ + "/" + name;
}

// Bytes of all files in the folder, whoever has put them there.
std::uint64_t Store::used() const {
    std::unique_ptr<DIR, int (*)(DIR *)> folder(opendir(folder_.c_str()), closedir);
    if (!folder) throw StoreError(folder_ + ": " + std::strerror(errno));
    std::uint64_t found = 0;
    struct stat one{};
    while (const auto *entry = readdir(folder.get()))
        if (!fstatat(dirfd(folder.get()), entry->d_name, &one, AT_SYMLINK_NOFOLLOW) && S_ISREG(one.st_mode))
            found += static_cast<std::uint64_t>(one.st_size);
    return found;
}

void Store::judge(const protocol::Store &file, std::uint64_t build_id) const {
    if (file.kind != static_cast<std::uint32_t>(FileKind::BITSTREAM) && file.kind != static_cast<std::uint32_t>(FileKind::WEIGHTS))
        throw StoreError("kind: " + std::to_string(file.kind) + " is neither a bitstream nor weights");
    std::uint8_t fields[protocol::Store::kBytes];
    file.write(fields);
    std::vector<std::uint8_t> text(kDomain, kDomain + sizeof kDomain - 1);
    text.insert(text.end(), fields, fields + kSigned);
    const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX *)> judge(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    if (EVP_DigestVerifyInit(judge.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
        EVP_DigestVerify(judge.get(), file.signature.data(), file.signature.size(), text.data(), text.size()) != 1)
        throw StoreError("signature: it is not of the operator's key; sign with the keys that this node has");
    if (file.build_id != build_id) throw StoreError("build_id: the file is for another core than this node's map");
    if (!file.size || file.size > kMostFile)
        throw StoreError("size: " + std::to_string(file.size) + " bytes are not from 1 to " + std::to_string(kMostFile));
}

std::uint64_t Store::announce(const protocol::Store &file, std::uint64_t build_id) {
    judge(file, build_id);
    abandon();
    if (known_.size() >= kMostKnown) known_.clear();  // it is announced again before it is loaded
    const auto path = place(file.hash);
    struct stat found{};
    if (!lstat(path.c_str(), &found) && S_ISREG(found.st_mode) && static_cast<std::uint64_t>(found.st_size) == file.size) {
        known_[file.hash] = file;
        return file.size;
    }
    const auto taken = used();
    if (taken > most_ || file.size > most_ - taken)
        throw StoreError("size: " + std::to_string(file.size) + " bytes, and the store has room for " +
                         std::to_string(taken > most_ ? 0 : most_ - taken) + "; remove files there, or give --store-bytes more");
    file_ = open((path + ".part").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file_ < 0) throw StoreError("the store cannot be written: " + std::string(std::strerror(errno)));
    coming_ = file;
    next_ = 0;
    EVP_DigestInit_ex(digest_.get(), EVP_sha256(), nullptr);
    return 0;
}

std::uint64_t Store::append(std::uint64_t at, const std::uint8_t *data, std::size_t bytes) {
    if (file_ < 0) throw StoreError("no file was announced");
    if (at != next_ || bytes > coming_.size - next_ || (bytes < protocol::Piece{}.data.size() && bytes != coming_.size - next_)) {
        abandon();
        throw StoreError("frame, length: the piece does not follow the last one");
    }
    for (std::size_t done = 0; done < bytes;) {
        const auto one = ::write(file_, data + done, bytes - done);
        if (one < 0 && errno == EINTR) continue;
        if (one <= 0) {
            const std::string why = one ? std::strerror(errno) : "nothing was written";
            abandon();
            throw StoreError("the store cannot be written: " + why);
        }
        done += static_cast<std::size_t>(one);
    }
    EVP_DigestUpdate(digest_.get(), data, bytes);
    next_ += bytes;
    if (next_ < coming_.size) return next_;
    Hash found{};
    EVP_DigestFinal_ex(digest_.get(), found.data(), nullptr);
    const auto path = place(coming_.hash);
    if (found != coming_.hash || std::rename((path + ".part").c_str(), path.c_str())) {
        abandon();
        throw StoreError("hash: the bytes that came have another one; send the file again");
    }
    close(file_);
    file_ = -1;
    known_[coming_.hash] = coming_;
    return next_;
}

void Store::abandon() {
    if (file_ < 0) return;
    close(file_);
    file_ = -1;
    unlink((place(coming_.hash) + ".part").c_str());
}

const protocol::Store &Store::known(const Hash &hash, FileKind kind) const {
    const auto found = known_.find(hash);
    if (found == known_.end() || found->second.kind != static_cast<std::uint32_t>(kind))
        throw StoreError(std::string("hash: no such ") + said(kind) + " was announced and stored");
    return found->second;
}

void Store::verify(const Hash &hash) const {
    const auto path = place(hash);
    const std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX *)> digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr);
    std::vector<std::uint8_t> piece(1 << 16);
    std::size_t bytes = 0;
    while (file && (bytes = std::fread(piece.data(), 1, piece.size(), file.get()))) EVP_DigestUpdate(digest.get(), piece.data(), bytes);
    Hash found{};
    EVP_DigestFinal_ex(digest.get(), found.data(), nullptr);
    if (file && found == hash) return;
    unlink(path.c_str());
    throw StoreError("hash: the stored file was altered, and is removed; send it again");
}

}  // namespace shellgen
