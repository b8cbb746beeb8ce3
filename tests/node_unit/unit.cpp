// SPDX-License-Identifier: BSD-3-Clause
// Unit tests of shellgen-node, for every processor that it is compiled for: `unit MEMORY_MAP NODE`.
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <thread>

#include "control.h"
#include "echo_board.h"
#include "paced_board.h"
#include "packets.h"
#include "runs.h"
#include "text.h"

namespace {

using namespace shellgen;

int wrong = 0;

void expect(bool right, const std::string &what) {
    if (right) return;
    ++wrong;
    std::printf("WRONG: %s\n", what.c_str());
}

template <class Error>
void refuses(const std::function<void()> &work, const std::string &said) {
    try {
        work();
    } catch (const Error &error) {
        return expect(std::string(error.what()).find(said) != std::string::npos, "'" + std::string(error.what()) + "' lacks '" + said + "'");
    }
    expect(false, "nobody said '" + said + "'");
}

// ---- checksums ---------------------------------------------------------------------------------------

std::uint32_t bitwise(std::uint32_t before, const std::uint8_t *at, std::size_t bytes) {
    std::uint32_t crc = ~before;
    for (; bytes; ++at, --bytes) {
        crc ^= *at;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
    }
    return ~crc;
}

void checksums() {
    std::vector<std::uint8_t> data(20'000);
    std::uint32_t state = 1;
    for (auto &byte : data) byte = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
    expect(crc32c("123456789") == 0xe3069283, "the check value of CRC-32C");
    for (const std::size_t bytes : {0, 1, 7, 8, 9, 63, 64, 2047, 2048, 6143, 6144, 6145, 12287, 12288, 19'990})
        for (const std::size_t from : {0, 1, 3, 7})
            expect(crc32c(77, data.data() + from, bytes) == bitwise(77, data.data() + from, bytes),
                   "CRC-32C of " + std::to_string(bytes) + " bytes from " + std::to_string(from));
    for (const std::size_t bytes : {1, 24, 64, 98, 12'544, 19'000}) {
        const Crc32cBehind behind(bytes);
        const auto first = crc32c(0, data.data(), 32), second = crc32c(0, data.data() + 32, bytes);
        expect(behind(first, second) == crc32c(0, data.data(), 32 + bytes), "CRC-32C of two pieces, " + std::to_string(bytes));
    }
}

// ---- messages ----------------------------------------------------------------------------------------

void messages() {
    Header header;
    header.edge = 0x01020304;
    header.epoch = 0xfffffffe;
    header.frame = 0x1122334455667788;
    const auto bytes = fault(header, Code::ORDER, std::string("a\x1b[2J") + std::string(300, 'b'));
    expect(bytes.size() == protocol::kHeaderBytes + protocol::Fault::kBytes, "bytes of FAULT");
    expect(bytes[0] == 'S' && bytes[3] == 'H' && bytes[8] == 4 && bytes[16] == 0x88, "numbers are little-endian");
    const auto read = Header::read(bytes.data());
    expect(read.edge == header.edge && read.epoch == header.epoch && read.frame == header.frame, "a header comes back");
    const auto told = protocol::Fault::read(bytes.data() + protocol::kHeaderBytes);
    expect(told.length == told.text.size() && told.text[1] == '?', "a text is cut, and printable");
    expect(!body_bytes(0) && !body_bytes(3) && body_bytes(1) == 56u, "bytes by type");
}

// ---- command line and map ----------------------------------------------------------------------------

Options options_of(std::vector<std::string> words) {
    std::vector<char *> given{const_cast<char *>("shellgen-node")};
    for (auto &word : words) given.push_back(word.data());
    return read_options(static_cast<int>(given.size()), given.data());
}

void settings(const std::string &map, const std::string &node) {
    const std::vector<std::string> good{"--map", map, "--node", node, "--listen", "[::1]:70", "--buffers", "x"};
    const auto with = [&](std::vector<std::string> more) {
        auto all = good;
        all.insert(all.end(), more.begin(), more.end());
        return options_of(all);
    };
    const auto options = with({"--store-bytes", "1125899906842624", "--keys", "k"});
    expect(options.listen.host == "[::1]" && options.listen.port == 70, "an address");
    expect(options.store_bytes == std::uint64_t{1} << 50, "a number of more than 32 bits");
    refuses<InputError>([&] { with({"--slots", "4097"}); }, "--slots: '4097' is not a whole number up to 4096");
    refuses<InputError>([&] { with({"--slots", "18446744073709551617"}); }, "is not a whole number");
    refuses<InputError>([&] { with({"--slots", "1"}); }, "at least 2");
    refuses<InputError>([&] { with({"--token", "12"}); }, "64 hex digits");
    refuses<InputError>([&] { with({"--model", "x"}); }, "--model, --pace, --buffers, --device: give one of them");
    refuses<InputError>([&] { with({"--listen", "host:65536"}); }, "65535");
    StreamSettings stream;
    for (const auto &[bytes, slots] : {std::pair{2u, 1024u}, {256u, 1024u}, {512u, 512u}, {12'544u, 32u}, {4'000'000'000u, 32u}}) {
        stream.frame_bytes = bytes;
        expect(slots_of(options, stream) == slots, "frames of a ring of " + std::to_string(bytes) + " bytes each");
    }
    expect(slots_of(with({"--slots", "5"}), stream) == 5, "frames of a ring as given");
    const auto found = read_map(map, node);
    expect(found.streams.size() == 2 && found.dmas.size() == 1 && found.base && found.build_id >> 32, "the example's map");
    refuses<InputError>([&] { read_map(map, "none"); }, "there is no node none; it has ");
    refuses<InputError>([&] { read_map(map + "x", node); }, "it cannot be opened");
}

// ---- DMA ---------------------------------------------------------------------------------------------

// Registers of a DMA model and nothing else.
struct Bus : Registers {
    explicit Bus(const DmaSettings &settings) : model(settings) {}
    std::uint32_t read(std::uint64_t address) override { return model.read(address); }
    void write(std::uint64_t address, std::uint32_t value) override { model.write(address, value); }
    DmaModel model;
};

void transfers() {
    auto settings = echo_settings(24).dmas.front();
    settings.address_bits = 40;
    Bus bus(settings);
    AxiDma dma(bus, settings);
    const Buffer buffer{nullptr, 0x12'3456'7890, 24};
    dma.start(dma::kMm2s, buffer, 24);
    expect(!bus.model.mm2s.active, "a halted channel takes no LENGTH");
    expect(!dma.finished(dma::kMm2s), "Idle is 0 before the first transfer");
    dma.run(dma::kMm2s);
    dma.start(dma::kMm2s, buffer, 24);
    expect(bus.model.mm2s.active && bus.model.mm2s.address == buffer.address, "an address of 40 bits");
    expect(!dma.finished(dma::kMm2s), "a transfer that runs");
    bus.model.mm2s.moved = 24;
    bus.model.mm2s.complete();
    expect(dma.finished(dma::kMm2s) && dma.moved(dma::kMm2s) == 24, "a transfer that has ended");
    bus.model.mm2s.fail(dma::kDecode);
    refuses<BoardError>([&] { dma.finished(dma::kMm2s); }, "there is no memory at the address (DMADecErr); DMASR is 0x");
    dma.reset();
    expect(bus.model.mm2s.status == dma::kHalted, "a reset halts");
}

// ---- tokens and files --------------------------------------------------------------------------------

void tokens() {
    Secret key{};
    key[3] = 9;
    TokenGate gate;
    expect(!gate.has_key(), "no key before an epoch");
    gate.begin(key, 5);
    const auto first = one_time_token(key, 0, 7, 5, 1), second = one_time_token(key, 0, 7, 5, 2);
    expect(!gate.take(one_time_token(key, 0, 7, 4, 1), 0, 7), "a token of another epoch");
    expect(!gate.take(first, 1, 7) && !gate.take(first, 0, 8), "a token of another role or boundary");
    expect(gate.take(first, 0, 7) && !gate.take(first, 0, 7), "a token is good once");
    expect(gate.take(second, 0, 7) && !gate.take(first, 0, 7), "an older one is not good any more");
}

void files() {
    char folder[] = "/tmp/shellgen_unit_XXXXXX";
    expect(mkdtemp(folder), "a folder");
    const std::string place = folder, store_place = place + "/store";
    mkdir(store_place.c_str(), 0700);
    std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY *)> key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), EVP_PKEY_free);
    {
        std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen((place + "/sign.pem").c_str(), "wb"), std::fclose);
        PEM_write_PUBKEY(file.get(), key.get());
    }
    const std::vector<std::uint8_t> content(5000, 42);
    protocol::Store entry;
    entry.kind = static_cast<std::uint32_t>(FileKind::WEIGHTS);
    entry.size = content.size();
    entry.build_id = 3;
    SHA256(content.data(), content.size(), entry.hash.data());
    const auto sign = [&] {
        std::uint8_t fields[protocol::Store::kBytes];
        entry.write(fields);
        std::string text = "shellgen file v1";
        text.append(reinterpret_cast<const char *>(fields), 56);
        std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX *)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
        std::size_t size = entry.signature.size();
        EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get());
        EVP_DigestSign(context.get(), entry.signature.data(), &size, reinterpret_cast<const std::uint8_t *>(text.data()), text.size());
    };
    sign();
    refuses<InputError>([&] { Store(store_place, place + "/none", 9000); }, "there is no Ed25519 key");
    Store store(store_place, place + "/sign.pem", 9000);
    refuses<StoreError>([&] { store.announce(entry, 4); }, "the file is for another core");
    expect(store.announce(entry, 3) == 0 && store.receives(), "a file is lacking");
    refuses<StoreError>([&] { store.append(1, content.data(), 4096); }, "does not follow the last one");
    store.announce(entry, 3);
    expect(store.append(0, content.data(), 4096) == 4096, "a piece");
    expect(store.append(4096, content.data(), 904) == 5000 && !store.receives(), "the last piece");
    expect(store.announce(entry, 3) == 5000, "a file that is there");
    store.verify(entry.hash);
    const auto other = entry;
    entry.hash[0] ^= 1;
    refuses<StoreError>([&] { store.announce(entry, 3); }, "it is not of the operator's key");
    sign();
    refuses<StoreError>([&] { store.announce(entry, 3); }, "5000 bytes, and the store has room for 4000");
    std::ofstream(store.path(other.hash), std::ios::binary | std::ios::app) << 'x';
    refuses<StoreError>([&] { store.verify(other.hash); }, "the stored file was altered, and is removed");
    rmdir(store_place.c_str());
    std::remove((place + "/sign.pem").c_str());
    expect(!rmdir(folder), "nothing is left of a removed file");
}

// ---- pace --------------------------------------------------------------------------------------------

void paces() {
    using namespace std::chrono_literals;
    Medium medium;
    const auto first = medium.pass(1s);
    expect(medium.pass(2s) - first == 2s, "bytes go one after the other");
    Way way;
    way.parts = {{std::make_shared<Medium>(), 1e6}, {std::make_shared<Medium>(), 3e6}};
    const auto begin = Medium::Clock::now();
    expect(way.pass(100) - begin >= 300ms, "the slowest medium of a way counts");
    const auto settings = echo_settings(24);
    PacedBoard board(settings, {{{0}, {1}, 3ms, 9ms, ""}});
    AxiDma dma(board.registers(), settings.dmas.front());
    dma.run(dma::kMm2s);
    dma.run(dma::kS2mm);
    std::vector<Buffer> in, out;
    for (std::uint8_t k = 0; k < 4; ++k) {
        in.push_back(board.buffers().take(24));
        out.push_back(board.buffers().take(24));
        std::fill_n(in.back().data, 24, k);
        board.buffers().flush(in.back(), 24);
    }
    const auto wait = [&](std::uint64_t channel) {
        while (!dma.finished(channel)) {
            std::this_thread::sleep_for(100us);
            board.acknowledge();
        }
        return Medium::Clock::now();
    };
    dma.start(dma::kS2mm, out[0], 24);
    const auto started = Medium::Clock::now();
    Medium::Clock::time_point taken;
    for (std::size_t k = 0; k < 3; ++k) {
        dma.start(dma::kMm2s, in[k], 24);
        taken = wait(dma::kMm2s);
    }
    expect(taken - started >= 6ms, "a frame enters every 3 ms");
    for (std::size_t k = 0; k < 3; ++k) {
        const auto came = wait(dma::kS2mm) - started;
        expect(came >= 9ms + 3ms * k, "a frame is inside for 9 ms");
        board.buffers().invalidate(out[k], 24);
        expect(out[k].data[5] == k, "the frame that came out");
        if (k < 2) dma.start(dma::kS2mm, out[k + 1], 24);
    }
}

// ---- a node and its client ---------------------------------------------------------------------------

struct Peer {
    int fd = -1;
    void send(const std::vector<std::uint8_t> &bytes) const {
        expect(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()), "the node takes bytes");
    }
    std::vector<std::uint8_t> take() const {
        std::vector<std::uint8_t> all(100'000);
        const auto got = ::recv(fd, all.data(), all.size(), MSG_DONTWAIT);
        all.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
        return all;
    }
};

std::vector<std::uint8_t> hello(protocol::Role role, std::uint32_t edge, std::uint32_t epoch, std::uint64_t frame, std::uint32_t bytes) {
    Header head;
    head.edge = edge;
    head.epoch = epoch;
    head.frame = frame;
    protocol::Hello found;
    found.low = found.high = protocol::kVersion;
    found.role = static_cast<std::uint8_t>(role);
    found.frame_bytes = bytes;
    found.contract = bytes ? 7 : 0;
    return sealed(head, found);
}

void whole_node() {
    constexpr std::uint32_t bytes = 1000;
    constexpr std::uint64_t first = 0xffff'ffff'ffff'fffe;  // numbers wrap
    const auto settings = echo_settings(bytes);
    Options options;
    options.slots = 4;
    EchoBoard board(settings);
    asio::io_context io{1};
    Node node(io, options, settings, board, nullptr);
    Control control(io, options, node);
    const auto open = [&] {
        int ends[2];
        expect(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), "a socket");
        tcp::socket socket(io);
        socket.assign(tcp::v4(), ends[1]);
        control.admit(std::move(socket));
        return Peer{ends[0]};
    };
    const auto run = [&] {
        io.restart();
        io.poll();
    };
    const auto orders = open(), source = open(), sink = open();
    orders.send(hello(protocol::Role::CONTROL, 0, 0, 0, 0));
    Header head;
    head.epoch = 9;
    head.frame = first;
    orders.send(sealed(head, protocol::Epoch{}));
    run();
    expect(node.epoch() == 9, "an epoch begins");
    source.send(hello(protocol::Role::SOURCE, 1, 9, 0, bytes));
    sink.send(hello(protocol::Role::SINK, 2, 9, first, bytes));
    run();
    sink.take();
    std::vector<std::uint8_t> payload(bytes);
    for (std::uint64_t k = 0; k < 6; ++k) {
        std::fill(payload.begin(), payload.end(), static_cast<std::uint8_t>(k + 1));
        head.edge = 1;
        head.frame = first + k;
        source.send(sealed(head, Type::FRAME, payload.data(), payload.size()));
        run();
        const auto got = sink.take();
        if (got.size() != protocol::kHeaderBytes + bytes) return expect(false, "one frame comes out for each");
        auto found = Header::read(got.data());
        expect(found.frame == first + k && got.back() == k + 1, "the frame that comes out");
        std::vector<std::uint8_t> whole = got;
        const auto crc = found.crc;
        found.crc = 0;
        found.write(whole.data());
        expect(crc32c(0, whole.data(), whole.size()) == crc, "its checksum");
        protocol::Ack ack;
        ack.credits = 4;
        head.edge = 2;
        head.frame = first + k + 1;
        sink.send(sealed(head, ack));
        run();
    }
    expect(node.state().received == 6 && !node.state().copied && node.drained(), "the node's counters");
    const auto reads = board.reads;
    io.restart();
    io.run_for(std::chrono::milliseconds(5));
    expect(board.reads == reads, "a node without frames leaves the bus alone");
    for (const auto &peer : {orders, source, sink}) close(peer.fd);
    run();
}

}  // namespace

int main(int count, char **words) {
    if (count != 3) return 2;
    checksums();
    messages();
    settings(words[1], words[2]);
    transfers();
    runs(expect);
    held_runs(expect);
    tokens();
    files();
    paces();
    packets(expect);
    whole_node();
    std::printf(wrong ? "%d wrong\n" : "all right\n", wrong);
    return wrong ? 1 : 0;
}
