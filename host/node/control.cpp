// SPDX-License-Identifier: BSD-3-Clause
#include "control.h"

#include <algorithm>
#include <iostream>

#include "text.h"

namespace shellgen {
namespace {

constexpr std::chrono::seconds kHello{5}, kSilence{5};
constexpr unsigned kMostStrangers = 64;
constexpr std::uint8_t kTlsHandshake = 22;  // type of a record (RFC 8446)
constexpr std::uint32_t kLastEpoch = ~std::uint32_t{0};  // no node could begin another one
constexpr std::chrono::milliseconds kAcceptPause{100};  // after accept failed, such as for lack of descriptors

}  // namespace

Control::Control(asio::io_context &io, const Options &options, Node &node, Store *store)
    : io_(io), options_(options), node_(node), orders_(io, node, store), acceptor_(io), silence_(io), pause_(io) {
    const auto where = options.listen.host + ":" + std::to_string(options.listen.port);
    try {
        tcp::resolver resolver(io);
        const auto found = *resolver.resolve(options.listen.host, std::to_string(options.listen.port)).begin();
        const tcp::endpoint end = found;
        acceptor_.open(end.protocol());
        acceptor_.set_option(tcp::acceptor::reuse_address(true));
        acceptor_.bind(end);
        acceptor_.listen();
    } catch (const asio::system_error &error) {
        throw InputError("--listen " + where + ": " + error.code().message() + "; choose another port, or an address of this machine");
    }
    node.on_failure = [this](const std::string &text) {
        std::cerr << "shellgen-node: " << printable(text) << std::endl;
        auto head = header();
        if (begins_) head.epoch = begins_;  // which the client waits for
        begins_ = 0;
        if (wire_) wire_->write(fault(head, Code::CORE, text));
    };
    orders_.controlled = [this] { return wire_ && wire_->open(); };
    node.on_loaded = [this] {
        auto head = header();
        if (begins_) head.epoch = begins_;
        begins_ = 0;
        if (wire_) wire_->write(fault(head, Code::LOADED, node_.failure()));
    };
    accept();
}

Header Control::header(std::uint64_t frame) const {
    Header found;
    found.epoch = node_.epoch();
    found.frame = frame;
    return found;
}

void Control::accept() {
    acceptor_.async_accept([this](asio::error_code error, tcp::socket socket) {
        if (error) {
            pause_.expires_after(kAcceptPause);
            pause_.async_wait([this](asio::error_code stopped) {
                if (!stopped) accept();
            });
            return;
        }
        admit(std::move(socket));
        accept();
    });
}

void Control::admit(tcp::socket socket) {
    // A crowd that says nothing must not take the descriptors from those that do, nor keep them waiting: a client that
    // means it says HELLO at once, and is not the oldest of so many.
    if (strangers_.size() >= kMostStrangers) {
        strangers_.begin()->second.wire->close();
        strangers_.erase(strangers_.begin());
    }
    const auto number = admitted_++;
    auto wire = std::make_shared<Wire>(std::move(socket));
    auto &stranger = strangers_.emplace(number, Stranger{wire, asio::steady_timer(io_, kHello)}).first->second;
    stranger.timer.async_wait([this, wire, number](asio::error_code error) {
        if (!error && strangers_.erase(number)) wire->close();
    });
    if (node_.keys()) judge_first(wire, number);
    else await_hello(wire, number);
}

// Encrypted and plain connections have one port: their first bytes differ.
void Control::judge_first(const std::shared_ptr<Wire> &wire, std::uint64_t number) {
    auto first = std::make_shared<std::uint8_t>();
    wire->socket.async_receive(asio::buffer(first.get(), 1), tcp::socket::message_peek,
                               [this, wire, number, first](asio::error_code error, std::size_t) {
        if (!wire->open()) return;
        if (error) {
            strangers_.erase(number);
            return wire->close();
        }
        if (*first != kTlsHandshake) return await_hello(wire, number);
        wire->secure(node_.keys()->server(), asio::ssl::stream_base::server, [this, wire, number](bool good) {
            if (good) return await_hello(wire, number);
            strangers_.erase(number);
            wire->close();
        });
    });
}

void Control::await_hello(const std::shared_ptr<Wire> &wire, std::uint64_t number) {
    wire->read(
        [this, wire, number](const Message &message) {
            strangers_.erase(number);
            greet(wire, message);
        },
        [this, wire, number](Code code, const std::string &text) {
            strangers_.erase(number);
            if (!text.empty()) wire->end(fault(header(), code, text));
            else wire->close();
        });
}

void Control::greet(const std::shared_ptr<Wire> &wire, const Message &message) {
    const auto hello = message.as<protocol::Hello>();
    const auto refuse = [&](Code code, const std::string &text) { wire->end(fault(header(), code, text)); };
    if (!message.is(Type::HELLO)) return refuse(Code::MALFORMED, "the first message of a connection is HELLO");
    if (hello.low > protocol::kVersion || hello.high < protocol::kVersion)
        return refuse(Code::VERSION, "low, high: this node speaks version " + std::to_string(protocol::kVersion));
    const bool orders = hello.role == static_cast<std::uint8_t>(protocol::Role::ORDERS);
    const bool controls = orders || hello.role == static_cast<std::uint8_t>(protocol::Role::CONTROL);
    if (controls && node_.keys() && !wire->controls())
        return refuse(Code::TOKEN, "role: this node is controlled by TLS with the operator's certificate; give its keys");
    if (controls && !node_.keys() && !same(hello.token, options_.token))
        return refuse(Code::TOKEN, "token: it is not the token of this node");
    if (!controls && options_.data_tls && !wire->secured())
        return refuse(Code::TOKEN, "role: this node takes frames by TLS only");
    // Before the token, which is of one epoch: two nodes do not begin it at the same time.
    if (!controls && node_.keys() && message.header.epoch != node_.epoch())
        return refuse(Code::EPOCH, "epoch: " + std::to_string(message.header.epoch) + " instead of " + std::to_string(node_.epoch()));
    if (!controls && !node_.admits(hello, message.header.edge))
        return refuse(Code::TOKEN, "token: it is not the token of this node");
    if (hello.build_id && hello.build_id != node_.settings().build_id)
        return refuse(Code::BUILD_ID, "build_id: node " + node_.settings().name + " has another build");
    if (!controls) {
        if (hello.role > static_cast<std::uint8_t>(protocol::Role::SINK))
            return refuse(Code::MALFORMED, "role: " + std::to_string(hello.role) + " is not known");
        return node_.greet(wire, message);  // which asks for the token
    }
    protocol::Welcome welcome;
    welcome.build_id = node_.settings().build_id;
    auto head = header();
    if (options_.data_tls) head.flags = static_cast<std::uint16_t>(protocol::Flag::TLS);
    if (orders) {
        wire->write(sealed(head, welcome));
        if (!orders_.admit(wire)) refuse(Code::BUSY, "role: others give orders to node " + node_.settings().name + " already");
        return;
    }
    if (wire_ && wire_->open())
        return refuse(Code::BUSY, "role: " + wire_->peer + " already controls node " + node_.settings().name +
                                      "; wait until this client has ended, or end it");
    node_.abandon();
    begins_ = 0;
    wire_ = wire;
    wire->write(sealed(head, welcome));
    watch_silence();
    serve(wire);
}

// A controller that says nothing for long is gone, even if its connection is not.
void Control::watch_silence() {
    silence_.expires_after(kSilence);
    silence_.async_wait([this](asio::error_code error) {
        // A message may have arrived while this was about to run.
        if (error || !wire_ || silence_.expiry() > asio::steady_timer::clock_type::now()) return;
        wire_->close();
        wire_.reset();
    });
}

void Control::serve(const std::shared_ptr<Wire> &wire) {
    wire->read(
        [this, wire](const Message &message) {
            if (wire != wire_) return;
            watch_silence();
            answer(message);
            if (wire->open() && wire == wire_) serve(wire);
        },
        [this, wire](Code code, const std::string &text) {
            if (!text.empty()) wire->end(fault(header(), code, text));
            else wire->close();
            if (wire == wire_) wire_.reset();
        });
}

void Control::begin(const Message &message) {
    auto head = header(message.header.frame);
    const auto wanted = message.header.epoch;
    const auto order = message.as<protocol::Epoch>();
    const auto refuse = [&](Code code, const std::string &text) {
        head.epoch = wanted;
        wire_->write(fault(head, code, text));
    };
    if (wanted == kLastEpoch) return refuse(Code::EPOCH, "epoch: there is none after " + std::to_string(kLastEpoch));
    if (wanted <= node_.epoch())
        return refuse(Code::EPOCH, "epoch: " + std::to_string(wanted) + " is not above " + std::to_string(node_.epoch()));
    if (node_.loading()) return refuse(Code::LOADED, "it loads a file; the epoch can begin behind that");
    if (node_.keys() && order.key == Secret{}) return refuse(Code::TOKEN, "key: this node needs one for the tokens of data connections");
    constexpr auto hold = static_cast<std::uint16_t>(protocol::Flag::HOLD);
    const bool holds = message.header.flags & hold, held = node_.settings().held;
    if (holds && !held) return refuse(Code::EPOCH, "flags: no hardware joins this node to others, and so it cannot be held");
    if (!holds && held && node_.prepared() != wanted)
        return refuse(Code::EPOCH, "flags: hardware joins this node to others, and so it must be held for epoch " + std::to_string(wanted) +
                                       " before that begins");
    begins_ = wanted;
    head.epoch = wanted;
    head.flags = static_cast<std::uint16_t>(protocol::Flag::ANSWER) | (holds ? hold : 0);
    // Unless a FAULT tells that it failed, or another client has taken over.
    const auto done = [this, wire = wire_, head] {
        begins_ = 0;
        if (wire == wire_) wire->write(sealed(head, protocol::Epoch{}));
    };
    if (holds) node_.prepare(wanted, order, done);
    else node_.begin(wanted, message.header.frame, order, done);
}

void Control::answer(const Message &message) {
    auto head = header(message.header.frame);
    head.flags = static_cast<std::uint16_t>(protocol::Flag::ANSWER);
    if (message.is(Type::PING)) {
        head.flags |= orders_.flags();
        node_.examine();
        wire_->write(sealed(head, node_.state()));
    } else if (message.is(Type::EPOCH)) {
        begin(message);
    } else if (message.is(Type::BYE)) {
        wire_->close();
        wire_.reset();
    } else {
        wire_->end(fault(header(), Code::MALFORMED, "a message of type " + std::to_string(message.header.type) +
                                                        " is not permitted on a control connection"));
        wire_.reset();
    }
}

}  // namespace shellgen
