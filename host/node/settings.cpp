// SPDX-License-Identifier: BSD-3-Clause
#include "settings.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "crc32c.h"
#include "json_fields.h"

namespace shellgen {

const char *const kUsage =
    "usage: shellgen-node --map memory_map.json --node NAME --listen HOST:PORT [options]\n"
    "\n"
    "Moves the frames of one node between TCP connections and the DMAs of its core.\n"
    "\n"
    "  --map FILE             memory_map.json of the node or of the cluster\n"
    "  --node NAME            which node of it this is\n"
    "  --listen HOST:PORT     local address for clients and nodes; port 0: any free one\n"
    "  --connect EDGE=HOST:PORT  node that takes this boundary; once for each\n"
    "  --slots N              frames in each ring (default 32; of short ones as many as 256 KiB hold, up to 1024)\n"
    "  --token HEX            64 hex digits that every HELLO must have\n"
    "  --keys FOLDER          certificates of this node: control by TLS only\n"
    "  --data plain|tls       frames between nodes and clients (default plain)\n"
    "  --store FOLDER         take bitstreams and weights that the operator has signed\n"
    "  --store-bytes N        bytes of all files there (default 268435456)\n"
    "  --model LIBRARY        rehearsal: simulated core instead of a board; none: not yet\n"
    "  --pace FILE            rehearsal: golden frames at the pace of a board instead of a core\n"
    "  --packets NETWORK      rehearsal: first three numbers of the addresses that stand for those of a network of cards\n"
    "  --buffers DEVICE       board: device of u-dma-buf, such as /dev/udmabuf0; or zocl, XRT's driver, as PYNQ has it\n"
    "  --registers DEVICE     board: device with all addresses (default /dev/mem), or those of UIO, with commas between\n"
    "  --interrupt DEVICE     board: UIO device of an interrupt of its DMAs; once for each (default: they are polled)\n"
    "  --sysfs FOLDER         board: where the kernel describes its devices (default /sys)\n"
    "  --weights FOLDER       board: from where the map names files of external weights (default: its own folder, or the one above)\n"
    "  --fpga FOLDER          board: FPGA manager (default /sys/class/fpga_manager/fpga0)\n"
    "  --device D             card: its number, or for XRT its PCIe address, as xbutil examine shows them\n"
    "  --xclbin FILE          card behind XRT: its bitstream, which XRT loads unless the card has it\n"
    "  --set NAME=VALUE       card: a value that the map only names, such as an address of ACCL's engine; once for each\n"
    "  --ready FILE           write the port there when the node listens\n"
    "  --tied yes             end when standard input is closed\n";

namespace {

constexpr const char *kSchema = "shellgen-memory-map-6";
constexpr unsigned kMostSlots = 4096;
constexpr unsigned kMostFlags = 256;        // registers of a kind
constexpr std::size_t kMostPlaces = 30;  // of ip/shell_turns

std::uint64_t number(const std::string &option, const std::string &text, std::uint64_t most) {
    const bool digits = !text.empty() && text.size() < 20 && text.find_first_not_of("0123456789") == std::string::npos;
    if (!digits || std::stoull(text) > most)
        throw InputError(option + ": '" + text + "' is not a whole number up to " + std::to_string(most));
    return std::stoull(text);
}

// As `number`, of 32 bits; 0x... is hexadecimal.
std::uint32_t word(const std::string &option, const std::string &text) {
    if (text.compare(0, 2, "0x") != 0) return static_cast<std::uint32_t>(number(option, text, std::numeric_limits<std::uint32_t>::max()));
    const auto digits = text.substr(2);
    if (digits.empty() || digits.size() > 8 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
        throw InputError(option + ": '" + text + "' is no number of 32 bits");
    return static_cast<std::uint32_t>(std::stoul(digits, nullptr, 16));
}

Endpoint endpoint(const std::string &option, const std::string &text) {
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0)
        throw InputError(option + ": '" + text + "' has no port: write HOST:PORT");
    return {text.substr(0, colon), static_cast<std::uint16_t>(number(option, text.substr(colon + 1), 65535))};
}

std::array<std::uint8_t, 32> token(const std::string &text) {
    std::array<std::uint8_t, 32> found{};
    if (text.size() != 64 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
        throw InputError("--token: it must have 64 hex digits in lower case");
    for (std::size_t i = 0; i < 32; ++i)
        found[i] = static_cast<std::uint8_t>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
    return found;
}

std::uint64_t hex(const std::string &where, const Json &value) {
    const auto text = value.get<std::string>();
    if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
        throw InputError(where + ": '" + text + "' has not 16 hex digits; generate the folder again");
    return std::stoull(text, nullptr, 16);
}

ProgramSettings program_of(const std::string &path, const Json &entry, const StreamSettings &stream) {
    ProgramSettings found;
    found.address = entry.at("address").get<std::string>();
    found.peer = entry.at("peer").get<std::string>();
    found.port = whole<std::uint16_t>(path, entry, "port");
    found.peer_port = whole<std::uint16_t>(path, entry, "peer_port");
    found.reorder = whole<std::uint16_t>(path, entry, "reorder");
    const auto &told = entry.at("terms");
    auto &terms = found.terms;
    terms.link = whole<std::uint16_t>(path, told, "link");
    terms.packet_beats = whole<std::uint16_t>(path, told, "packet_beats");
    terms.packing = whole<std::uint8_t>(path, told, "packing");
    terms.role = whole<std::uint8_t>(path, told, "role");
    terms.element = whole<std::uint32_t>(path, told, "element");
    terms.shape = whole<std::uint32_t>(path, told, "shape");
    terms.slots = whole<unsigned>(path, told, "slots");
    terms.contract = stream.contract;
    terms.frame_bytes = stream.frame_bytes;
    return found;
}

StreamSettings stream_of(const std::string &path, const Json &entry, Use use) {
    StreamSettings found;
    found.index = whole<unsigned>(path, entry, "index");
    found.enters = entry.at("direction").get<std::string>() == "rx";
    found.host = entry.at("host").get<bool>();
    found.boundary = entry.at("boundary").get<std::string>();
    found.port = entry.at("port").get<std::string>();
    found.edge = crc32c(found.boundary);
    found.frame_bytes = whole<std::uint32_t>(path, entry, "frame_bytes");
    found.contract = hex(path + ": contract of " + found.boundary, entry.at("contract"));
    found.weights = entry.at("role").get<std::string>() != "data";
    const bool known = !entry.at("weights").is_null();
    if (found.weights && (!found.enters || (use == Use::SERVER && !known)))
        throw InputError(path + ": weights: those of stream " + found.boundary +
                         " were not known to shellgen generate; give them in [[weights]]");
    if (found.weights && known) found.file = entry.at("weights").get<std::string>();
    if (!entry.at("program").is_null()) found.program = program_of(path, entry.at("program"), found);
    found.memory_bytes = whole<std::uint32_t>(path, entry, "memory_bytes");
    if (!found.frame_bytes || found.memory_bytes < found.frame_bytes)
        throw InputError(path + ": memory_bytes: a frame of " + found.boundary + " has no room; generate the folder again");
    if (!found.enters) found.consumers.push_back({found.host, found.boundary, found.edge, {}});
    for (const auto &copy : entry.at("copies")) {
        if (found.program && use == Use::SERVER)
            throw InputError(path + ": copies: " + found.boundary + " goes to a card and elsewhere, which shellgen-node cannot do: use host/run_<node>.py");
        if (found.enters) throw InputError(path + ": copies: " + found.boundary + " enters the core; generate the folder again");
        const auto name = copy.at("boundary").get<std::string>();
        found.consumers.push_back({copy.at("host").get<bool>(), name, crc32c(name), {}});
    }
    return found;
}

DmaSettings dma_of(const std::string &path, const Json &entry) {
    DmaSettings found;
    found.name = entry.at("name").get<std::string>();
    found.base = whole<std::uint64_t>(path, entry, "base");
    found.size = whole<std::uint64_t>(path, entry, "size");
    found.address_bits = whole<unsigned>(path, entry, "address_bits");
    found.most_bytes = whole<std::uint64_t>(path, entry, "max_bytes");
    found.align = whole<std::uint64_t>(path, entry, "align");
    found.cyclic = entry.at("cyclic").get<bool>();
    const auto &channels = entry.at("channels");
    for (auto [name, stream] : {std::pair{"mm2s", &found.mm2s}, std::pair{"s2mm", &found.s2mm}})
        if (const auto &channel = channels.at(name); !channel.is_null()) {
            *stream = whole<unsigned>(path, channel, "stream");
            const auto &line = channel.at("interrupt");
            if (!line.is_null() && !found.cyclic) found.lines.insert(whole<unsigned>(path, line, "gic"));
        }
    for (const auto &range : entry.at("memory"))
        found.memory.push_back({whole<std::uint64_t>(path, range, "base"), whole<std::uint64_t>(path, range, "size")});
    return found;
}

MoverSettings mover_of(const std::string &path, const Json &entry) {
    MoverSettings found;
    found.name = entry.at("name").get<std::string>();
    found.ip = entry.at("ip").get<std::string>();
    found.stream = whole<unsigned>(path, entry, "stream");
    const auto &arguments = entry.at("arguments");
    found.buffer = whole<int>(path, arguments, "buffer");
    found.size = whole<int>(path, arguments, "size");
    if (!arguments.at("number").is_null()) found.number = whole<int>(path, arguments, "number");
    return found;
}

RingSettings ring_of(const std::string &path, const Json &entry) {
    RingSettings found;
    found.name = entry.at("name").get<std::string>();
    found.boundary = entry.at("boundary").get<std::string>();
    for (auto [name, value] : {std::pair{"bytes", &found.bytes}, std::pair{"align", &found.align},
                               std::pair{"base_low", &found.base_low}, std::pair{"base_high", &found.base_high},
                               std::pair{"arm", &found.arm}, std::pair{"idle", &found.idle},
                               std::pair{"write_faults", &found.write_faults}, std::pair{"read_faults", &found.read_faults}})
        *value = whole<std::uint64_t>(path, entry, name);
    found.mask = whole<std::uint32_t>(path, entry, "mask");
    if (const auto &bank = entry.at("bank"); !bank.is_null()) found.bank = bank.get<std::string>();
    for (const auto &range : entry.at("memory"))
        found.memory.push_back({whole<std::uint64_t>(path, range, "base"), whole<std::uint64_t>(path, range, "size")});
    return found;
}

MemorySettings memory_of(const std::string &path, const Json &region) {
    const auto &entry = region.at("memory");
    MemorySettings found;
    found.layer = region.at("layer").is_null() ? region.at("name").get<std::string>() : region.at("layer").get<std::string>();
    found.base = whole<std::uint64_t>(path, region, "base");
    found.size = whole<std::uint64_t>(path, region, "size");
    for (auto [name, value] : {std::pair{"words", &found.words}, std::pair{"lanes", &found.lanes}, std::pair{"word_bits", &found.word_bits},
                               std::pair{"row_words", &found.row_words}, std::pair{"row_used", &found.row_used},
                               std::pair{"group_rows", &found.group_rows}, std::pair{"group_used", &found.group_used}})
        *value = whole<std::uint32_t>(path, entry, name);
    return found;
}

StepSettings step_of(const std::string &path, const Json &entry) {
    StepSettings found;
    found.writes = entry.at("op").get<std::string>() == "write";
    found.place = entry.at("place").get<std::string>();
    found.text = entry.at("text").get<std::string>();
    found.address = whole<std::uint64_t>(path, entry, "address");
    if (entry.at("value").is_string()) found.named = entry.at("value").get<std::string>();
    else found.value = whole<std::uint32_t>(path, entry, "value");
    found.mask = whole<std::uint32_t>(path, entry, "mask");
    found.again = whole<std::size_t>(path, entry, "again");
    const auto &reason = entry.at("reason");
    if (reason.is_null()) return found;
    found.reason = StepSettings::Reason{reason.at("place").get<std::string>(), whole<std::uint64_t>(path, reason, "address"), {}};
    for (const auto &bit : reason.at("bits"))
        found.reason->bits.emplace_back(whole<std::uint32_t>(path, bit, "mask"), bit.at("text").get<std::string>());
    return found;
}

std::vector<std::vector<StepSettings>> phases_of(const std::string &path, const Json &bring_up, const std::string &node) {
    std::vector<std::vector<StepSettings>> found(1);
    if (bring_up.is_null()) return found;
    for (const auto &entry : bring_up.at("steps")) {
        if (entry.at("op") == "barrier") found.emplace_back();
        else if (entry.at("node") == node) found.back().push_back(step_of(path, entry));
    }
    return found;
}

std::set<std::string> values_of(const Json &bring_up) {
    std::set<std::string> found;
    if (bring_up.is_null()) return found;
    for (const auto &entry : bring_up.at("steps"))
        if (entry.at("value").is_string()) found.insert(entry.at("value").get<std::string>());
    return found;
}

// Streams of a card that nothing of its server moves are joined to other cards, or to the program of the host.
void find_joined(NodeSettings &node) {
    for (const auto &stream : node.streams) node.held |= stream.program.has_value();
    if (node.bus == Bus::DEVMEM) return;
    for (auto &stream : node.streams) {
        const auto moves = [&](const auto &mover) { return mover.stream == stream.index; };
        stream.joined = (!stream.host || stream.program) && !stream.weights && std::none_of(node.movers.begin(), node.movers.end(), moves) &&
                        std::none_of(node.channels.begin(), node.channels.end(), moves);
        node.joined |= stream.joined;
        node.held |= stream.joined;
    }
}

// Registers of Coyote's window are 8 bytes apart.
Bus bus_of(const std::string &path, const Json &entry, Use use) {
    static const std::map<std::string, std::pair<Bus, unsigned>> known{
        {"devmem", {Bus::DEVMEM, 4}}, {"xrt", {Bus::XRT, 4}}, {"coyote", {Bus::COYOTE, 8}}};
    const auto bus = entry.at("bus").get<std::string>(), name = entry.at("name").get<std::string>();
    const auto found = known.find(bus);
    if (use == Use::LIBRARY) return found == known.end() ? Bus::OTHER : found->second.first;
    if (found == known.end() || whole<unsigned>(path, entry, "slot_bytes") != found->second.second)
        throw InputError(path + ": node " + name + " is on bus " + bus +
                         "; shellgen-node serves nodes with AXI DMAs on bus devmem, and cards on bus xrt or coyote");
    return found->second.first;
}

// Where a register of a block is, and which bits of it a field has.
std::uint64_t place_of(const std::string &path, const Json &block, const char *name) {
    for (const auto &one : block.at("registers"))
        if (one.at("name") == name) return whole<std::uint64_t>(path, block, "base") + whole<std::uint64_t>(path, one, "offset");
    throw InputError(path + ": block " + block.at("name").get<std::string>() + " has no register " + name + "; generate the folder again");
}

// Of a field, which lies in 32 bits.
std::uint32_t mask_of(const std::string &path, const Json &field) {
    const auto low = whole<std::uint8_t>(path, field, "low"), width = whole<std::uint8_t>(path, field, "width");
    if (low > 31 || width > 32 - low)
        throw InputError(path + ": width: field " + field.at("name").get<std::string>() + " is no part of a register; generate the folder again");
    return static_cast<std::uint32_t>(((std::uint64_t{1} << width) - 1) << low);
}

std::uint32_t mask_of(const std::string &path, const Json &block, const char *name, const char *field) {
    for (const auto &one : block.at("registers"))
        for (const auto &part : one.at("fields"))
            if (one.at("name") == name && part.at("name") == field) return mask_of(path, part);
    throw InputError(path + ": register " + name + " has no field " + field + "; generate the folder again");
}

BridgeSettings bridge_of(const std::string &path, const Json &entry) {
    for (const auto &block : entry.at("blocks")) {
        if (block.at("name") != "bridge") continue;
        BridgeSettings found;
        for (auto [name, at] : {std::pair{"ADDRESS", &found.address}, std::pair{"DATA", &found.data}, std::pair{"LEVEL", &found.level},
                                std::pair{"ERROR", &found.error}, std::pair{"ERROR_ADDRESS", &found.error_address}})
            *at = place_of(path, block, name);
        found.posted = mask_of(path, block, "LEVEL", "POSTED");
        found.kept = mask_of(path, block, "ERROR", "KEPT");
        return found;
    }
    throw InputError(path + ": access: memories of node " + entry.at("name").get<std::string>() + " lie behind a bridge, and there is none; generate the folder again");
}

// Of links between cards that run Coyote; other links tell by other registers.
void add_flags(const std::string &path, const Json &entry, NodeSettings &node) {
    if (node.bus != Bus::COYOTE || !node.joined) return;
    for (const auto &block : entry.at("blocks")) {
        const auto name = block.at("name").get<std::string>();
        if (name == "status" || name == "bridge") continue;
        for (const auto &one : block.at("registers")) {
            const auto place = name + " " + one.at("name").get<std::string>();
            const auto base = whole<std::uint64_t>(path, block, "base") + whole<std::uint64_t>(path, one, "offset");
            const auto add = [&](const std::string &at, const Json &part, std::uint32_t mask) {
                const auto count = one.at("count").is_null() ? 1 : whole<unsigned>(path, one, "count");
                for (unsigned k = 0; k < count && k < kMostFlags; ++k)
                    node.flags.push_back({at, part.at("text").get<std::string>(), base + (k ? k * whole<std::uint64_t>(path, one, "stride") : 0), mask,
                                          part.at("access") == "r/w1c", part.at("name") == "LATE"});
            };
            bool parts = false;
            for (const auto &part : one.at("fields")) {
                if (!part.at("sticky").get<bool>()) continue;
                add(place + "." + part.at("name").get<std::string>(), part, mask_of(path, part));
                parts = true;
            }
            if (one.at("sticky").get<bool>() && !parts) add(place, one, ~std::uint32_t{0});
        }
    }
}

NodeSettings node_of(const std::string &path, const Json &entry, Use use) {
    NodeSettings found;
    found.name = entry.at("name").get<std::string>();
    found.build_id = hex(path + ": build_id of " + found.name, entry.at("build_id"));
    found.base = whole<std::uint64_t>(path, entry, "base");
    found.span = whole<std::uint64_t>(path, entry, "span");
    found.bus = bus_of(path, entry, use);
    found.slot_bytes = whole<unsigned>(path, entry, "slot_bytes");
    if (found.bus == Bus::XRT) found.ip = entry.at("ip").get<std::string>();
    if (found.bus == Bus::COYOTE) {
        found.region = whole<unsigned>(path, entry.at("vfpga"), "region");
        found.version = entry.at("vfpga").at("version") == "v1" ? 1 : 2;
    }
    for (const auto &block : entry.at("blocks")) {
        const auto name = block.at("name").get<std::string>();
        if (name != "status" && name != "turns") continue;
        for (const auto &one : block.at("registers")) {
            const auto address = whole<std::uint64_t>(path, block, "base") + whole<std::uint64_t>(path, one, "offset");
            const auto stride = one.at("stride").is_null() ? 0 : whole<std::uint64_t>(path, one, "stride");
            (name == "turns" ? found.turns : found.registers)[one.at("name").get<std::string>()] = {address, stride};
            if (one.at("name") == "MAGIC") found.magic = whole<std::uint32_t>(path, one, "value");
        }
    }
    for (const char *name : {"MAGIC", "BUILD_ID_LOW", "BUILD_ID_HIGH", "CONTROL", "FLAGS", "FRAMES", "FRAMES_PER_TRANSFER"})
        if (!found.registers.count(name))
            throw InputError(path + ": node " + found.name + " has no register " + name + "; generate it again");
    found.places = entry.at("turns").size();
    if (found.places > kMostPlaces || (found.places && !found.turns.count("OUT")))
        throw InputError(path + ": turns: node " + found.name + " has no registers for " + std::to_string(found.places) +
                         " deals and gathers; generate the folder again");
    std::map<std::pair<std::uint32_t, bool>, std::string> edges;
    for (const auto &one : entry.at("streams")) {
        found.streams.push_back(stream_of(path, one, use));
        const auto &stream = found.streams.back();
        if (stream.weights) continue;  // nobody connects
        auto ends = stream.consumers;
        if (stream.enters) ends.push_back({stream.host, stream.boundary, stream.edge, {}});
        for (const auto &end : ends) {
            const auto [other, fresh] = edges.emplace(std::pair{end.edge, stream.enters}, end.boundary);
            if (!fresh)
                throw InputError(path + ": boundaries " + other->second + " and " + end.boundary +
                                 " have the same CRC-32C; rename a partition");
        }
    }
    for (const auto &one : entry.at("dma")) found.dmas.push_back(dma_of(path, one));
    if (const auto &one = entry.at("interrupt_controller"); !one.is_null())
        found.controller = ControllerSettings{whole<std::uint64_t>(path, one, "base"), whole<std::uint64_t>(path, one, "size"),
                                              whole<unsigned>(path, one, "inputs")};
    for (const auto &one : entry.at("movers")) found.movers.push_back(mover_of(path, one));
    for (const auto &one : entry.at("channels"))
        found.channels.push_back({whole<unsigned>(path, one, "stream"), whole<unsigned>(path, one, "dest"),
                                  whole<std::uint64_t>(path, one, "max_bytes")});
    for (const auto &one : entry.at("rings")) found.rings.push_back(ring_of(path, one));
    for (const auto &region : entry.at("regions")) {
        if (region.at("memory").is_null()) continue;
        found.memories.push_back(memory_of(path, region));
        const bool direct = region.at("access").get<std::string>() == "direct";
        if (found.memories.size() == 1 && !direct) found.bridge = bridge_of(path, entry);
        if (direct) found.memories.back().stride = whole<std::uint32_t>(path, entry, "slot_bytes");
        if (direct == found.bridge.has_value())
            throw InputError(path + ": access: of the memories of node " + found.name + ", some are behind a bridge and some are not; generate the folder again");
    }
    for (const auto &one : entry.at("units"))
        if (use == Use::LIBRARY || !one.at("ip").is_null())
            found.units.push_back({one.at("ip").is_null() ? "" : one.at("ip").get<std::string>(),
                                   whole<std::uint64_t>(path, one, "base"), whole<std::uint64_t>(path, one, "size")});
    find_joined(found);
    add_flags(path, entry, found);
    return found;
}

// The streams of the host that go by UDP: each comes from the client and goes to its card, or the other way, and so has two sides.
NodeSettings gateway_of(const std::string &path, const Json &map) {
    constexpr std::uint32_t magic = 1;
    NodeSettings found;
    found.name = kHost;
    found.gateway = found.held = true;
    found.magic = magic;
    for (const char *name : {"MAGIC", "BUILD_ID_LOW", "BUILD_ID_HIGH", "CONTROL", "FLAGS", "FRAMES", "FRAMES_PER_TRANSFER"})
        found.registers.emplace(name, NodeSettings::Register{std::exchange(found.span, found.span + 4), 0});
    std::map<std::uint32_t, std::string> edges;
    for (const auto &node : map.at("nodes"))
        for (const auto &one : node.at("streams")) {
            if (!one.at("host").get<bool>() || one.at("program").is_null()) continue;
            auto stream = stream_of(path, one, Use::SERVER);
            found.build_id ^= stream.contract;
            stream.memory_bytes = stream.frame_bytes;
            const bool away = stream.enters;  // into the card
            const auto [other, fresh] = edges.emplace(stream.edge, stream.boundary);
            if (!fresh)
                throw InputError(path + ": boundaries " + other->second + " and " + stream.boundary + " have the same CRC-32C; rename a partition");
            for (const bool enters : {true, false}) {
                auto side = stream;
                side.index = static_cast<unsigned>(found.streams.size());
                side.enters = enters;
                side.host = enters == away;
                if (side.host) side.program.reset();
                side.consumers.clear();
                if (!enters) side.consumers.push_back({side.host, side.boundary, side.edge, {}});
                found.streams.push_back(side);
            }
        }
    return found;
}

}  // namespace

unsigned slots_of(const Options &options, const StreamSettings &stream) {
    // Short frames are cheap to keep, and a message about a quarter of a ring is dear.
    constexpr unsigned least = 32, most = 1024, bytes = 256 << 10;
    return options.slots ? options.slots : std::clamp(bytes / stream.frame_bytes, least, most);
}

Options read_options(int count, char **words) {
    Options found;
    bool listens = false;
    for (int i = 1; i < count; ++i) {
        const std::string option = words[i];
        if (option == "--help") {
            found.help = true;
            return found;
        }
        if (++i == count) throw InputError(option + ": its value is missing, or there is no such option; see --help");
        const std::string value = words[i];
        if (option == "--map") found.map = value;
        else if (option == "--node") found.node = value;
        else if (option == "--model") found.model = value;
        else if (option == "--pace") found.pace = value;
        else if (option == "--buffers") found.buffers = value;
        else if (option == "--registers") found.registers = value;
        else if (option == "--interrupt") found.interrupts.push_back(value);
        else if (option == "--sysfs") found.sysfs = value;
        else if (option == "--ready") found.ready = value;
        else if (option == "--tied") {
            if (value != "yes" && value != "no") throw InputError("--tied: '" + value + "' is neither yes nor no");
            found.tied = value == "yes";
        } else if (option == "--token") found.token = token(value);
        else if (option == "--keys") found.keys = value;
        else if (option == "--data") {
            if (value != "plain" && value != "tls") throw InputError("--data: '" + value + "' is neither plain nor tls");
            found.data_tls = value == "tls";
        } else if (option == "--store") found.store = value;
        else if (option == "--store-bytes") found.store_bytes = number(option, value, std::uint64_t{1} << 50);
        else if (option == "--fpga") found.fpga = value;
        else if (option == "--weights") found.weights = value;
        else if (option == "--packets") found.packets = value;
        else if (option == "--device") found.device = value;
        else if (option == "--xclbin") found.xclbin = value;
        else if (option == "--set") {
            const auto equals = value.find('=');
            if (!equals || equals == std::string::npos) throw InputError("--set: '" + value + "' is not NAME=VALUE");
            found.given[value.substr(0, equals)] = word(option, value.substr(equals + 1));
        }
        else if (option == "--slots") found.slots = static_cast<unsigned>(number(option, value, kMostSlots));
        else if (option == "--listen") {
            found.listen = endpoint(option, value);
            listens = true;
        } else if (option == "--connect") {
            const auto equals = value.find('=');
            if (equals == std::string::npos) throw InputError("--connect: '" + value + "' is not EDGE=HOST:PORT");
            found.connect[value.substr(0, equals)] = endpoint(option, value.substr(equals + 1));
        } else throw InputError(option + ": there is no such option; see --help");
    }
    for (auto [name, value] : {std::pair{"--map", &found.map}, std::pair{"--node", &found.node}})
        if (value->empty()) throw InputError(std::string(name) + ": it is missing; see --help");
    if (!listens) throw InputError("--listen: it is missing; give the address that clients and nodes connect to");
    if (found.data_tls && found.keys.empty()) throw InputError("--data: tls needs certificates; give --keys");
    if (!found.store.empty() && found.keys.empty()) throw InputError("--store: files need a signature of the operator's; give --keys");
    if (found.slots == 1) throw InputError("--slots: a ring has at least 2 frames");
    const auto boards = !found.model.empty() + !found.pace.empty() + !found.buffers.empty() + !found.device.empty();
    if (found.node == kHost) {
        if (boards) throw InputError("--node: host has no core; leave out --model, --pace, --buffers and --device");
    } else if (boards != 1)
        throw InputError("--model, --pace, --buffers, --device: give one of them: a simulated core, golden frames and their times, "
                         "the buffers of a board, or a card");
    if (!found.interrupts.empty() && found.buffers.empty()) throw InputError("--interrupt: it is for a board; give its --buffers, too");
    if (!found.xclbin.empty() && found.device.empty()) throw InputError("--xclbin: it is for a card; give its --device, too");
    return found;
}

NodeSettings read_map(const std::string &path, const std::string &node, Use use) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InputError(path + ": it cannot be opened");
    try {
        const Json map = Json::parse(file);
        const auto schema = map.at("schema_version").get<std::string>();
        if (schema != kSchema)
            throw InputError(path + ": schema_version is '" + schema + "', and this program reads '" + kSchema + "'");
        if (node == kHost) {
            auto found = gateway_of(path, map);
            if (found.streams.empty()) throw InputError(path + ": no stream of the host goes by UDP, so that there is no node host");
            check_map(path, found);
            return found;
        }
        std::string known;
        for (const auto &entry : map.at("nodes")) {
            if (entry.at("name") == node) {
                auto found = node_of(path, entry, use);
                if (found.joined && use == Use::SERVER) found.phases = phases_of(path, map.at("bring_up"), node);
                if (map.contains("bring_up") && use == Use::SERVER) found.values = values_of(map.at("bring_up"));
                check_map(path, found, use);
                return found;
            }
            known += (known.empty() ? "" : ", ") + entry.at("name").get<std::string>();
        }
        throw InputError(path + ": there is no node " + node + "; it has " + known);
    } catch (const Json::exception &error) {
        throw InputError(path + ": it is no memory map: " + error.what());
    } catch (const std::ios_base::failure &) {
        throw InputError(path + ": it cannot be read; give the file memory_map.json");  // a folder, for instance
    }
}

void find_weights(const Options &options, NodeSettings &settings) {
    const auto folder = options.weights.empty() ? options.map.substr(0, options.map.rfind('/') + 1) : options.weights + "/";
    for (auto &stream : settings.streams) {
        if (!stream.weights || stream.file.empty()) continue;
        const auto above = folder + "../" + stream.file;
        stream.file = folder + stream.file;
        if (options.weights.empty() && !std::ifstream(stream.file) && std::ifstream(above)) stream.file = above;
    }
}

void give_values(const Options &options, NodeSettings &settings) {
    for (auto &phase : settings.phases)
        for (auto &step : phase) {
            if (step.named.empty()) continue;
            const auto found = options.given.find(step.named);
            if (found == options.given.end())
                throw InputError("--set: node " + settings.name + " needs a value for " + step.named + " (" + step.text + "): give --set " + step.named +
                                 "=NUMBER");
            step.value = found->second;
        }
    std::string known;
    for (const auto &name : settings.values) known += (known.empty() ? "; it has " : ", ") + name;
    for (const auto &[name, value] : options.given)
        if (!settings.values.count(name)) throw InputError("--set: the map asks for no value " + name + known);
}

}  // namespace shellgen
