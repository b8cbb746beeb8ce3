// SPDX-License-Identifier: BSD-3-Clause
// The command line and the node's part of memory_map.json.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "medium.h"
#include "packet.h"

namespace shellgen {

// The command line or a file is wrong: one sentence, exit code 2.
struct InputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Endpoint {
    std::string host;
    std::uint16_t port = 0;
};

// Who takes the frames of a stream that leaves the core.
struct ConsumerSettings {
    bool host = false;  // the client
    std::string boundary;
    std::uint32_t edge = 0;
    Way way;  // of a rehearsal at a pace
};

// Of a stream whose other end is a card that this program reaches by UDP.
struct ProgramSettings {
    std::string address, peer;  // IPv4
    std::uint16_t port = 0, peer_port = 0;
    unsigned reorder = 0;  // packets by which the network may change their order
    packet::Terms terms;
};

struct StreamSettings {
    unsigned index = 0;
    bool enters = false;  // into the core
    bool host = false;    // the client is at the other end
    std::string boundary, port;
    std::uint32_t edge = 0;
    std::uint32_t frame_bytes = 0;   // on a connection
    std::uint32_t memory_bytes = 0;  // in memory, where frames may begin at multiples of a beat
    std::uint64_t contract = 0;
    bool weights = false;  // one frame of weights over and over, from a file
    std::string file;      // which the map names
    std::vector<ConsumerSettings> consumers;  // of one that leaves; the first is named above
    Way way;                                  // of one that enters, in a rehearsal at a pace
    bool joined = false;  // hardware joins it to another node: it does not pass this program
    std::optional<ProgramSettings> program;
};

// A kernel beside the core with registers of its own; addresses from `base` are its offsets.
struct UnitSettings {
    std::string ip;  // behind XRT
    std::uint64_t base = 0, size = 0;
};

// What a link needs before the first frame: a register that is written, or read until it has a value.
struct StepSettings {
    bool writes = false;
    std::string place, text;
    std::uint64_t address = 0;
    std::uint32_t value = 0, mask = 0;
    std::string named;  // the value is not in the map, but is given by this name
    std::size_t again = 0;  // steps before it that are repeated meanwhile
    struct Reason {
        std::string place;
        std::uint64_t address = 0;
        std::vector<std::pair<std::uint32_t, std::string>> bits;
    };
    std::optional<Reason> reason;  // register that tells why the value does not come
};

struct MemoryRange {
    std::uint64_t base = 0, size = 0;
};

struct DmaSettings {
    std::string name;
    std::uint64_t base = 0;
    std::uint64_t size = 0;
    unsigned address_bits = 32;
    std::uint64_t most_bytes = 0, align = 1;
    bool cyclic = false;  // it repeats a frame of weights, by descriptors
    std::set<unsigned> lines;  // interrupt IDs at the processor
    std::optional<unsigned> mm2s, s2mm;  // stream of the channel
    std::vector<MemoryRange> memory;
};

// The AXI interrupt controller between DMAs and processor (PG099).
struct ControllerSettings {
    std::uint64_t base = 0, size = 0;
    unsigned inputs = 0;
};

// A kernel of a card that moves the frames of a stream, and the places of its arguments.
struct MoverSettings {
    std::string name, ip;
    unsigned stream = 0;
    int buffer = 0, size = 0;
    std::optional<int> number;  // of the run: one to the core has it
};

// A host stream of Coyote.
struct ChannelSettings {
    unsigned stream = 0, dest = 0;
    std::uint64_t most_bytes = 0;
};

// How a host reaches the registers of a node.
enum class Bus { DEVMEM, XRT, COYOTE, OTHER };

// A stream inside the core that is kept in memory: addresses of registers, the last four shared by all of a node.
struct RingSettings {
    std::string name, boundary;
    std::uint64_t bytes = 0, align = 1;
    std::uint64_t base_low = 0, base_high = 0, arm = 0, idle = 0, write_faults = 0, read_faults = 0;
    std::uint32_t mask = 0;
    std::string bank;  // of a shell that manages the memory, and knows where it lies: of Coyote `card` or `host`
    std::vector<MemoryRange> memory;
};

// A memory of the core that the host may write.
struct MemorySettings {
    std::string layer;
    std::uint64_t base = 0, size = 0;
    std::uint32_t stride = 4;  // from register to register
    std::uint32_t words = 0, lanes = 0, word_bits = 0;
    std::uint32_t row_words = 1, row_used = 1, group_rows = 1, group_used = 1;
};

// The core's way to its memories where they do not fit into its window: addresses of registers.
struct BridgeSettings {
    std::uint64_t address = 0, data = 0, level = 0, error = 0, error_address = 0;
    std::uint32_t posted = 0, kept = 0;  // bits of LEVEL and of ERROR
};

// What a link notes when it has gone wrong, until it is cleared.
struct FlagSettings {
    std::string place, text;
    std::uint64_t address = 0;
    std::uint32_t mask = 0;
    bool clears = false;  // by writing 1
    bool slow = false;    // it is about time, not about frames
};

struct NodeSettings {
    std::string name;
    Bus bus = Bus::DEVMEM;
    unsigned slot_bytes = 4;  // from a register to the next; accesses have as many
    std::string ip;           // behind XRT: the kernel that is the core
    unsigned region = 0, version = 0;  // of Coyote: the vFPGA
    std::uint64_t build_id = 0;
    std::uint64_t base = 0, span = 0;
    struct Register {
        std::uint64_t address = 0;
        std::uint64_t stride = 0;
    };
    std::map<std::string, Register> registers;  // of the block `status`
    std::map<std::string, Register> turns;      // of the block of that name, if there is one
    std::size_t places = 0;                     // deals and gathers: registers OUT
    std::uint32_t magic = 0;
    std::vector<StreamSettings> streams;
    std::vector<DmaSettings> dmas;      // of a board
    std::optional<ControllerSettings> controller;
    std::vector<MoverSettings> movers;  // of a card behind XRT
    std::vector<ChannelSettings> channels;  // of one that runs Coyote
    std::vector<MemorySettings> memories;
    std::vector<RingSettings> rings;
    std::vector<UnitSettings> units;
    bool joined = false;                            // a stream is
    bool held = false;                              // it is, or a card is at its other end: an epoch holds all such nodes first
    std::set<std::string> values;                   // that the map only names, of all nodes
    std::vector<std::vector<StepSettings>> phases;  // of bringing the links up, with a barrier of all nodes between two
    bool gateway = false;  // it is the host's end of streams over the network of cards, and has no core
    std::optional<BridgeSettings> bridge;  // behind which the memories lie
    std::vector<FlagSettings> flags;       // of blocks of links
};

struct Options {
    std::string map, node, model, pace, buffers, registers = "/dev/mem", device, xclbin;
    std::string packets;  // of a rehearsal: first three numbers of the addresses that stand for those of cards' network
    std::vector<std::string> interrupts;  // devices of UIO; none: DMAs are polled
    std::string sysfs = "/sys";
    std::string weights;  // folder from which the map names files; none: its own
    Endpoint listen{"127.0.0.1", 0};
    std::map<std::string, Endpoint> connect;  // by boundary
    std::map<std::string, std::uint32_t> given;  // values that the map only names
    unsigned slots = 0;                       // frames of each ring; 0: by their bytes
    std::array<std::uint8_t, 32> token{};
    std::string keys;       // folder of certificates; none: plain
    bool data_tls = false;  // frames by TLS, too
    std::string store;      // folder for files of the operator; none: such files are refused
    std::uint64_t store_bytes = std::uint64_t{256} << 20;
    std::string fpga = "/sys/class/fpga_manager/fpga0", firmware = "/lib/firmware";
    std::string ready;  // file to write the port to when the node listens
    bool tied = false;  // ends when standard input is closed
    bool help = false;
};

constexpr const char *kHost = "host";  // no node of a cluster has this name

// Frames of the ring of a stream.
unsigned slots_of(const Options &options, const StreamSettings &stream);
Options read_options(int count, char **words);
// What a map is read for: the library does with a node what a program asks for, and refuses only that if it cannot.
enum class Use { SERVER, LIBRARY };
// Throws InputError if parts of a node's map contradict each other.
void check_map(const std::string &path, const NodeSettings &node, Use use = Use::SERVER);
NodeSettings read_map(const std::string &path, const std::string &node, Use use = Use::SERVER);
// The map names files of external weights from the folder with those of all nodes: its own, or for the map of one node the
// one above.
void find_weights(const Options &options, NodeSettings &settings);
// Enters the values that the map only names. Throws InputError if one is missing, or is not asked for.
void give_values(const Options &options, NodeSettings &settings);
extern const char *const kUsage;

}  // namespace shellgen
