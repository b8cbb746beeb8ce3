// SPDX-License-Identifier: BSD-3-Clause
// The listening socket: greets whoever connects, and serves the one control connection.
#pragma once

#include <map>

#include "orders.h"

namespace shellgen {

class Control {
public:
    // Listens. Throws InputError if the address cannot be had. `store` is null where the node takes no files.
    Control(asio::io_context &io, const Options &options, Node &node, Store *store = nullptr);

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    // Waits for the HELLO of a new connection.
    void admit(tcp::socket socket);

private:
    // A connection without a HELLO so far.
    struct Stranger {
        std::shared_ptr<Wire> wire;
        asio::steady_timer timer;
    };

    void accept();
    void await_hello(const std::shared_ptr<Wire> &wire, std::uint64_t number);
    void judge_first(const std::shared_ptr<Wire> &wire, std::uint64_t number);
    void greet(const std::shared_ptr<Wire> &wire, const Message &message);
    void serve(const std::shared_ptr<Wire> &wire);
    void answer(const Message &message);
    void begin(const Message &message);
    void watch_silence();
    Header header(std::uint64_t frame = 0) const;

    asio::io_context &io_;
    const Options &options_;
    Node &node_;
    Orders orders_;
    tcp::acceptor acceptor_;
    std::shared_ptr<Wire> wire_;  // of the orchestrator
    asio::steady_timer silence_, pause_;
    std::map<std::uint64_t, Stranger> strangers_;  // the oldest first
    std::uint64_t admitted_ = 0;
    std::uint32_t begins_ = 0;  // the epoch that is about to begin
};

}  // namespace shellgen
