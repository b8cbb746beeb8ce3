// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the store of files: whatever is announced and sent, a file under a hash has that hash and a signature of the operator's
// key, nothing else gets a name, and all of them need no more room than was given.
#include <dirent.h>
#include <fuzzer/FuzzedDataProvider.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

#include "settings.h"
#include "store.h"

namespace {

using namespace shellgen;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kPiece = protocol::Piece{}.data.size();
constexpr std::uint64_t kRoom = 3 * kPiece, kBuild = 0x1122334455667788;
constexpr unsigned kMostSteps = 12;

[[noreturn]] void found(const char *what) {
    std::fprintf(stderr, "found: %s\n", what);
    std::abort();
}

Hash digest(const Bytes &content) {
    Hash hash{};
    EVP_Digest(content.data(), content.size(), hash.data(), nullptr, EVP_sha256(), nullptr);
    return hash;
}

std::string hex(const Hash &hash) {
    std::string text;
    char two[3];
    for (const auto byte : hash) {
        std::snprintf(two, sizeof two, "%02x", byte);
        text += two;
    }
    return text;
}

struct Bench {
    std::string root = "/dev/shm/shellgen_fuzz_store_" + std::to_string(getpid()), folder = root + "/files", pem = root + "/key.pem";
    EVP_PKEY *key = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");

    Bench() {
        mkdir(root.c_str(), 0700);
        mkdir(folder.c_str(), 0700);
        auto *file = std::fopen(pem.c_str(), "wb");
        if (!file || !key || PEM_write_PUBKEY(file, key) != 1) found("no key");
        std::fclose(file);
    }
    ~Bench() {
        empty();
        rmdir(folder.c_str());
        unlink(pem.c_str());
        rmdir(root.c_str());
        EVP_PKEY_free(key);
    }
    std::set<std::string> names() const {
        std::set<std::string> all;
        auto *open = opendir(folder.c_str());
        while (const auto *one = readdir(open))
            if (one->d_name[0] != '.') all.insert(one->d_name);
        closedir(open);
        return all;
    }
    void empty() const {
        for (const auto &name : names()) unlink((folder + "/" + name).c_str());
    }
    void sign(protocol::Store &file) const {
        std::uint8_t fields[protocol::Store::kBytes];
        file.write(fields);
        static const char domain[] = "shellgen file v1";
        Bytes text(domain, domain + sizeof domain - 1);
        text.insert(text.end(), fields, fields + 56);
        auto *context = EVP_MD_CTX_new();
        std::size_t bytes = file.signature.size();
        EVP_DigestSignInit(context, nullptr, nullptr, nullptr, key);
        EVP_DigestSign(context, file.signature.data(), &bytes, text.data(), text.size());
        EVP_MD_CTX_free(context);
    }
};

Bytes content(FuzzedDataProvider &data) {
    static const std::size_t sizes[] = {0, 1, 7, kPiece - 1, kPiece, kPiece + 1, 2 * kPiece, 3 * kPiece, 3 * kPiece + 1};
    return Bytes(sizes[data.ConsumeIntegralInRange<std::size_t>(0, std::size(sizes) - 1)], data.ConsumeIntegralInRange<std::uint8_t>(0, 3));
}

struct Run {
    FuzzedDataProvider &data;
    const Bench &bench;
    Store &store;
    std::set<Hash> given;  // hashes that the operator has signed
    Bytes whole;           // what was announced last
    std::uint64_t next = 0;

    Run(FuzzedDataProvider &from, const Bench &on, Store &in) : data(from), bench(on), store(in) {}

    void announce() {
        whole = content(data);
        protocol::Store file;
        file.hash = digest(whole);
        file.size = whole.size();
        file.kind = data.ConsumeIntegralInRange<std::uint32_t>(1, 2);
        file.build_id = kBuild;
        const auto wrong = data.ConsumeIntegralInRange<unsigned>(0, 9);
        if (wrong == 1) file.hash[0] ^= 1;  // signed, and never right
        if (wrong == 2) file.size = data.ConsumeIntegral<std::uint64_t>();
        if (wrong == 3) file.kind = data.ConsumeIntegral<std::uint32_t>();
        if (wrong == 4) file.build_id ^= 1;
        bench.sign(file);
        const auto right = file;
        if (wrong == 5) file.signature[data.ConsumeIntegralInRange<std::size_t>(0, file.signature.size() - 1)] ^= 0x10;
        if (wrong == 6) file.hash = digest(content(data));  // of another file
        const bool altered = file.hash != right.hash || file.signature != right.signature;
        next = store.announce(file, kBuild);
        if (altered) found("a file without the operator's signature");
        if (file.build_id != kBuild) found("a file for another core");
        given.insert(file.hash);
    }
    void append() {
        auto at = next;
        if (data.ConsumeIntegralInRange(0, 9) == 0) at = data.ConsumeIntegral<std::uint64_t>();
        auto bytes = std::min<std::size_t>(kPiece, whole.size() > next ? whole.size() - next : 0);
        if (data.ConsumeIntegralInRange(0, 9) == 0) bytes = data.ConsumeIntegralInRange<std::size_t>(0, kPiece);
        Bytes piece(bytes, whole.empty() ? 0 : whole.front());
        if (bytes && data.ConsumeIntegralInRange(0, 9) == 0) piece[data.ConsumeIntegralInRange<std::size_t>(0, bytes - 1)] ^= 4;
        next = store.append(at, piece.data(), piece.size());
    }
    void look() {
        const auto hash = given.empty() || data.ConsumeBool() ? digest(content(data)) : *given.begin();
        if (data.ConsumeBool()) {
            store.verify(hash);
        } else {
            const auto kind = static_cast<FileKind>(data.ConsumeIntegralInRange<std::uint32_t>(0, 3));
            if (store.known(hash, kind).hash != hash) found("another file is known");
        }
    }
    void damage() {  // somebody alters a file that is there
        const auto names = bench.names();
        if (names.empty()) return;
        if (auto *file = std::fopen((bench.folder + "/" + *names.begin()).c_str(), "r+b")) {
            std::fputc(9, file);
            std::fclose(file);
        }
    }
    void check(bool altered) {
        std::uint64_t room = 0;
        for (auto name : bench.names()) {
            struct stat one{};
            if (lstat((bench.folder + "/" + name).c_str(), &one)) found("a file is gone");
            room += static_cast<std::uint64_t>(one.st_size);
            const bool part = name.size() == 69 && name.substr(64) == ".part";
            if (part && !store.receives()) found("a part of a file that nobody sends");
            if (part) name.resize(64);
            bool known = false;
            for (const auto &hash : given) {
                if (hex(hash) != name) continue;
                known = true;
                if (!part && !altered) store.verify(hash);  // throws and removes it otherwise
            }
            if (!known) found("a name that nobody has signed");
        }
        if (room > kRoom) found("more room than it was given");
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
    static const Bench bench;
    static Store store(bench.folder, bench.pem, kRoom);  // reading a key takes longer than a run
    store.abandon();
    bench.empty();
    FuzzedDataProvider data(bytes, size);
    Run run(data, bench, store);
    bool altered = false;
    for (unsigned step = 0; step < kMostSteps && data.remaining_bytes(); ++step) {
        try {
            switch (data.ConsumeIntegralInRange(0, 7)) {
                case 0:
                case 1: run.announce(); break;
                case 2:
                case 3:
                case 4: run.append(); break;
                case 5: run.look(); break;
                case 6: run.store.abandon(); break;
                default:
                    altered = true;
                    run.damage();
            }
        } catch (const StoreError &error) {
            if (!*error.what()) found("no sentence");
        }
    }
    try {
        run.check(altered);
    } catch (const StoreError &) {
        found("a file that does not have the hash of its name");
    }
    return 0;
}
