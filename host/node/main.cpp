// SPDX-License-Identifier: BSD-3-Clause
// shellgen-node: the server of one node. See docs/host-node.md.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>

#include "control.h"
#include "coyote_board.h"
#include "gateway_board.h"
#include "hook.h"
#include "job.h"
#include "linux_board.h"
#include "model_board.h"
#include "notify.h"
#include "paced_board.h"
#include "text.h"
#include "xrt_board.h"

namespace {

using namespace shellgen;

void write_ready(const std::string &path, std::uint16_t port) {
    if (path.empty()) return;
    const auto part = path + ".part";  // whoever waits for the file finds it whole
    std::ofstream(part) << port << "\n";
    if (std::rename(part.c_str(), path.c_str())) throw InputError("--ready " + path + ": it cannot be written");
}

// Ends the program when the one that started it is gone, however it went.
void tie(asio::io_context &io, asio::posix::stream_descriptor &input) {
    input.async_wait(asio::posix::stream_descriptor::wait_read, [&io, &input](asio::error_code error) {
        char byte = 0;
        if (error || ::read(input.native_handle(), &byte, 1) <= 0) return io.stop();
        tie(io, input);
    });
}

int run(int count, char **words) {
    auto options = read_options(count, words);
    if (options.help) {
        std::cout << kUsage;
        return 0;
    }
    auto settings = read_map(options.map, options.node);
    find_weights(options, settings);
    std::unique_ptr<Board> board;
    const bool card = settings.bus != Bus::DEVMEM;
    if (card != !options.device.empty())
        throw InputError(card ? "node " + settings.name + " is a card: give its --device" : "--device: node " + settings.name + " is no card");
    if (settings.gateway) board = std::make_unique<GatewayBoard>(settings);
    else if (settings.bus == Bus::XRT) board = xrt_board(options, settings);
    else if (settings.bus == Bus::COYOTE) board = coyote_board(options, settings);
    else if (!options.buffers.empty()) board = std::make_unique<LinuxBoard>(options, settings);
    else if (!options.pace.empty()) board = std::make_unique<PacedBoard>(settings, read_pace(options.pace, settings));
    else board = std::make_unique<ModelBoard>(options.model, settings);
    Hook hook(options, settings, board->registers());  // ends when the node is gone, and the board is not
    give_values(options, settings);
    asio::io_context io{1};  // one thread moves everything
    const auto keys = options.keys.empty() ? nullptr : std::make_unique<Keys>(options.keys);
    std::unique_ptr<Store> store;
    if (!options.store.empty()) store = std::make_unique<Store>(options.store, options.keys + "/sign.pem", options.store_bytes);
    std::string wrong;
    if (store) {
        Core core(board->registers(), settings);
        wrong = load_last(*store, *board, core, settings);
        if (!wrong.empty()) std::cerr << "shellgen-node: what was loaded last cannot be loaded: " << printable(wrong) << std::endl;
    }
    Node node(io, options, settings, *board, keys.get());
    if (!wrong.empty()) node.block("what was loaded last cannot be loaded: " + wrong);
    Control control(io, options, node, store.get());
    asio::signal_set signals(io, SIGINT, SIGTERM);
    signals.async_wait([&](asio::error_code, int) { io.stop(); });
    asio::posix::stream_descriptor input(io);
    if (options.tied) {
        input.assign(dup(STDIN_FILENO));
        tie(io, input);
    }
    write_ready(options.ready, control.port());
    Service service(io);
    service.ready();
    std::cout << "shellgen-node: node " << settings.name << " listens on " << options.listen.host << ":" << control.port()
              << std::endl;
    io.run();
    return 0;
}

}  // namespace

int main(int count, char **words) {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
    try {
        return run(count, words);
    } catch (const std::exception &error) {  // of the user's, of the board, of the system: each says what is wrong
        std::cerr << "shellgen-node: error: " << printable(error.what()) << std::endl;
        return 2;
    }
}
