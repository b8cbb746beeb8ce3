// SPDX-License-Identifier: BSD-3-Clause
#include "job.h"

#include <cstdio>
#include <fstream>
#include <vector>

#include "weights.h"

namespace shellgen {
namespace {

constexpr std::size_t kEntry = protocol::Store::kBytes;
constexpr std::uint32_t kNoFile = 0;  // kind of an entry that is not there

// What was loaded last, with its signatures: whoever can write the store cannot have other files loaded by it.
void remember(const Store &store, const Job &job) {
    std::vector<std::uint8_t> entries(2 * kEntry);
    if (job.bitstream) job.bitstream->write(entries.data());
    if (job.weights) job.weights->write(entries.data() + kEntry);
    const auto path = store.last(), part = path + ".part";
    std::ofstream file(part, std::ios::binary);
    file.write(reinterpret_cast<const char *>(entries.data()), static_cast<std::streamsize>(entries.size()));
    file.close();
    if (!file || std::rename(part.c_str(), path.c_str()))
        throw StoreError("it is loaded, but the store cannot be written: after a restart the node would load what was before");
}

Job last(const Store &store, const NodeSettings &settings) {
    std::uint8_t entries[2 * kEntry] = {};
    std::ifstream file(store.last(), std::ios::binary);
    Job found;
    if (!file) return found;
    if (!file.read(reinterpret_cast<char *>(entries), sizeof entries)) throw StoreError("the note of what was loaded is cut off");
    for (auto [at, entry, kind] : {std::tuple{entries, &found.bitstream, FileKind::BITSTREAM},
                                   std::tuple{entries + kEntry, &found.weights, FileKind::WEIGHTS}}) {
        const auto one = protocol::Store::read(at);
        if (one.kind == kNoFile || one.build_id != settings.build_id) continue;  // the map has changed since
        store.judge(one, settings.build_id);
        if (one.kind != static_cast<std::uint32_t>(kind)) throw StoreError("the note of what was loaded is damaged");
        *entry = one;
    }
    return found;
}

void load(Store &store, const Job &job, Board &board, Core &core, const NodeSettings &settings) {
    if (job.bitstream) store.verify(job.bitstream->hash);
    if (job.weights) store.verify(job.weights->hash);
    const auto content = job.weights ? read_weights(store.path(job.weights->hash), settings) : std::vector<std::uint8_t>{};
    if (job.bitstream) board.programmer()->program(store.path(job.bitstream->hash));
    core.check();
    if (job.weights) load_weights(board.registers(), settings, content);
}

}  // namespace

void load_job(Store &store, const Job &job, Board &board, Core &core, const NodeSettings &settings) {
    load(store, job, board, core, settings);
    auto now = job;
    if (!now.bitstream) now.bitstream = last(store, settings).bitstream;  // it is still there
    remember(store, now);
}

std::string load_last(Store &store, Board &board, Core &core, const NodeSettings &settings) {
    try {
        auto job = last(store, settings);
        if (job.bitstream && board.programmer() && board.programmer()->programmed()) {
            try {
                core.check();
                job.bitstream.reset();  // the PL has kept it
            } catch (const BoardError &) {
            }
        }
        if (job.bitstream || job.weights) load(store, job, board, core, settings);
    } catch (const std::exception &error) {
        return error.what();
    }
    return "";
}

}  // namespace shellgen
