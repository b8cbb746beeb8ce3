// SPDX-License-Identifier: BSD-3-Clause
// Connections for orders: state, files and orders, beside the client that controls the node.
#pragma once

#include <list>

#include "node.h"
#include "store.h"

namespace shellgen {

class Orders {
public:
    // `store` is null where the node takes no files.
    Orders(asio::io_context &io, Node &node, Store *store) : io_(io), node_(node), store_(store), end_(io) {}

    // Takes a connection whose HELLO was right. False if there are too many.
    bool admit(const std::shared_ptr<Wire> &wire);
    // Flags of an answer to PING.
    std::uint16_t flags() const;
    // Whether a client controls the node. Without one, nobody will ever acknowledge what the core has put out.
    std::function<bool()> controlled = [] { return false; };

private:
    struct Giver {
        std::shared_ptr<Wire> wire;
        asio::steady_timer silence;
    };
    using Place = std::shared_ptr<Giver>;

    void serve(const Place &place);
    void watch_silence(const Place &place);
    void part(const Place &place);
    void answer(const Place &place, const Message &message);
    void take(const Place &place, const Message &message);
    void load(const Place &place, const Message &message);
    void obey(const Place &place, const Message &message);
    Header header(std::uint64_t frame = 0) const;

    asio::io_context &io_;
    Node &node_;
    Store *store_;
    std::list<Place> givers_;
    std::shared_ptr<Wire> sends_;  // whose file is under way
    asio::steady_timer end_;
};

}  // namespace shellgen
