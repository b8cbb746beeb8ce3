// SPDX-License-Identifier: BSD-3-Clause
#include "control.h"

#include <algorithm>
#include <iostream>

#include "text.h"

namespace shellgen {
namespace {

constexpr std::chrono::seconds kHello{5}, kSilence{5};
constexpr unsigned kMostStrangers = 64;
constexpr std::uint32_t kLastEpoch = ~std::uint32_t{0};  // no node could begin another one
constexpr std::chrono::milliseconds kAcceptPause{100};  // after accept failed, such as for lack of descriptors

}  // namespace

Control::Control(asio::io_context &io, const Options &options, Node &node)
    : io_(io), options_(options), node_(node), acceptor_(io), silence_(io), pause_(io) {
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
        if (wire_) wire_->write(fault(header(), Code::CORE, text));
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
    // In constant time, so that how long it takes tells nothing.
    unsigned differs = 0;
    for (std::size_t i = 0; i < hello.token.size(); ++i) differs |= hello.token[i] ^ options_.token[i];
    if (differs) return refuse(Code::TOKEN, "token: it is not the token of this node");
    if (hello.build_id && hello.build_id != node_.settings().build_id)
        return refuse(Code::BUILD_ID, "build_id: node " + node_.settings().name + " has another build");
    if (hello.role != static_cast<std::uint8_t>(protocol::Role::CONTROL)) {
        if (hello.role > static_cast<std::uint8_t>(protocol::Role::CONTROL))
            return refuse(Code::MALFORMED, "role: " + std::to_string(hello.role) + " is not known");
        return node_.greet(wire, message);
    }
    if (wire_ && wire_->open()) return refuse(Code::BUSY, "role: " + wire_->peer + " already controls node " + node_.settings().name);
    wire_ = wire;
    protocol::Welcome welcome;
    welcome.build_id = node_.settings().build_id;
    wire->write(sealed(header(), welcome));
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

void Control::answer(const Message &message) {
    auto head = header(message.header.frame);
    head.flags = static_cast<std::uint16_t>(protocol::Flag::ANSWER);
    if (message.is(Type::PING)) {
        node_.examine();
        wire_->write(sealed(head, node_.state()));
    } else if (message.is(Type::EPOCH) && message.header.epoch == kLastEpoch) {
        wire_->write(fault(header(), Code::EPOCH, "epoch: there is none after " + std::to_string(kLastEpoch)));
    } else if (message.is(Type::EPOCH) && message.header.epoch > node_.epoch()) {
        node_.begin(message.header.epoch, message.header.frame);
        if (!node_.failure().empty()) return;  // a FAULT has told
        head.epoch = node_.epoch();
        wire_->write(sealed(head, Type::EPOCH));
    } else if (message.is(Type::EPOCH)) {
        wire_->write(fault(header(), Code::EPOCH, "epoch: " + std::to_string(message.header.epoch) + " is not above " +
                                                      std::to_string(node_.epoch())));
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
