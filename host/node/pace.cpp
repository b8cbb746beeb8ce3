// SPDX-License-Identifier: BSD-3-Clause
#include "pace.h"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "protocol.h"

namespace shellgen {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostNs = 3'600'000'000'000;

std::chrono::nanoseconds time_of(const Json &value, const char *field) {
    const auto found = value.at(field).get<double>();
    if (!(found >= 0 && found <= static_cast<double>(kMostNs))) throw InputError(std::string(field) + ": it is not from 0 to an hour");
    return std::chrono::nanoseconds(static_cast<std::int64_t>(found));
}

class Reader {
public:
    explicit Reader(NodeSettings &settings) : settings_(settings) {}

    PacedPart part(const Json &entry) {
        PacedPart found;
        for (const auto &name : entry.at("in")) found.in.push_back(stream(name.get<std::string>(), true).index);
        for (const auto &name : entry.at("out")) found.out.push_back(stream(name.get<std::string>(), false).index);
        if (found.in.empty() || found.out.empty()) throw InputError("in, out: a part has streams in both directions");
        found.period = time_of(entry, "period_ns");
        found.through = time_of(entry, "through_ns");
        found.vectors = entry.at("vectors").get<std::string>();
        return found;
    }

    // The way of one boundary; a stream with several consumers has one for each.
    void way(const Json &entry) {
        const auto boundary = entry.at("boundary").get<std::string>();
        Way *way = nullptr;
        std::uint32_t bytes = 0;
        for (auto &one : settings_.streams) {
            if (one.enters && one.boundary == boundary) way = &one.way, bytes = one.frame_bytes;
            for (auto &consumer : one.consumers)
                if (consumer.boundary == boundary) way = &consumer.way, bytes = one.frame_bytes;
        }
        if (!way) throw InputError("boundary: node " + settings_.name + " has no " + boundary);
        for (const auto &medium : entry.at("media")) {
            const auto time = time_of(medium, "frame_ns");
            auto &at = media_[medium.at("name").get<std::string>()];
            if (!at) at = std::make_shared<Medium>();
            // The figure is for a frame; what the protocol adds is not to count.
            way->parts.push_back({at, static_cast<double>(time.count()) / (bytes + protocol::kHeaderBytes)});
        }
    }

private:
    StreamSettings &stream(const std::string &boundary, bool enters) {
        for (auto &one : settings_.streams)
            if (one.boundary == boundary && one.enters == enters) return one;
        throw InputError("parts: no stream " + boundary + (enters ? " enters" : " leaves") + " node " + settings_.name);
    }

    NodeSettings &settings_;
    std::map<std::string, std::shared_ptr<Medium>> media_;
};

}  // namespace

std::vector<PacedPart> read_pace(const std::string &path, NodeSettings &settings) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InputError("--pace: " + path + ": it cannot be opened");
    std::vector<PacedPart> found;
    try {
        const Json pace = Json::parse(file);
        Reader reader(settings);
        for (const auto &entry : pace.at("parts")) found.push_back(reader.part(entry));
        for (const auto &entry : pace.at("ways")) reader.way(entry);
    } catch (const Json::exception &error) {
        throw InputError("--pace: " + path + ": it is no file of shellgen rehearse: " + error.what());
    } catch (const InputError &error) {
        throw InputError("--pace: " + path + ": " + error.what());
    }
    return found;
}

}  // namespace shellgen
