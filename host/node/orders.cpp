// SPDX-License-Identifier: BSD-3-Clause
#include "orders.h"

#include "job.h"
#include "weights.h"

namespace shellgen {
namespace {

constexpr std::size_t kMostGivers = 4;
constexpr std::chrono::seconds kGiverSilence{5};
constexpr std::chrono::milliseconds kFarewell{100};  // for the answer to the order to end
enum : std::uint32_t { kHold = 1, kGoOn = 2, kEnd = 3 };

}  // namespace

Header Orders::header(std::uint64_t frame) const {
    Header found;
    found.epoch = node_.epoch();
    found.frame = frame;
    return found;
}

std::uint16_t Orders::flags() const {
    unsigned found = 0;
    if (node_.holds()) found |= static_cast<unsigned>(protocol::Flag::HOLDS);
    if (controlled() ? node_.drained() : node_.core_empty()) found |= static_cast<unsigned>(protocol::Flag::EMPTY);
    return static_cast<std::uint16_t>(found);
}

bool Orders::admit(const std::shared_ptr<Wire> &wire) {
    if (givers_.size() >= kMostGivers) return false;
    const auto place = std::make_shared<Giver>(Giver{wire, asio::steady_timer(io_)});
    givers_.push_back(place);
    watch_silence(place);
    serve(place);
    return true;
}

void Orders::watch_silence(const Place &place) {
    place->silence.expires_after(kGiverSilence);
    place->silence.async_wait([this, place](asio::error_code error) {
        // Its reader sees the end and removes it.
        if (!error && place->silence.expiry() <= asio::steady_timer::clock_type::now()) place->wire->hang_up();
    });
}

void Orders::part(const Place &place) {
    if (sends_ == place->wire) {
        if (store_) store_->abandon();
        sends_.reset();
    }
    place->silence.cancel();
    givers_.remove(place);
}

void Orders::serve(const Place &place) {
    const auto wire = place->wire;
    wire->read(
        [this, place, wire](const Message &message) {
            watch_silence(place);
            if (message.is(Type::BYE)) {
                wire->close();
                return part(place);
            }
            answer(place, message);
            serve(place);
        },
        [this, place, wire](Code code, const std::string &text) {
            if (!text.empty()) wire->end(fault(header(), code, text));
            else wire->close();
            part(place);
        });
}

void Orders::answer(const Place &place, const Message &message) {
    auto head = header(message.header.frame);
    head.flags = static_cast<std::uint16_t>(protocol::Flag::ANSWER) | flags();
    try {
        if (message.is(Type::PING)) {
            node_.examine();
            place->wire->write(sealed(head, node_.state()));
        } else if (message.is(Type::STORE) || message.is(Type::PIECE)) {
            take(place, message);
        } else if (message.is(Type::LOAD)) {
            load(place, message);
        } else if (message.is(Type::ORDER)) {
            obey(place, message);
        } else {
            place->wire->write(fault(header(), Code::MALFORMED, "a message of type " + std::to_string(message.header.type) +
                                                                    " is no order"));
        }
    } catch (const StoreError &error) {
        place->wire->write(fault(header(), Code::STORE, error.what()));
    }
}

// A file, or a part of it.
void Orders::take(const Place &place, const Message &message) {
    if (!store_) throw StoreError("this node takes no files; start it with --store and --keys");
    if (sends_ && sends_ != place->wire)
        return place->wire->write(fault(header(), Code::BUSY, "somebody else is sending a file to node " + node_.settings().name));
    auto head = header();
    if (message.is(Type::STORE)) {
        const auto file = message.as<protocol::Store>();
        sends_.reset();
        head.frame = store_->announce(file, node_.settings().build_id);
        if (head.frame < file.size) sends_ = place->wire;
        head.flags = static_cast<std::uint16_t>(protocol::Flag::ANSWER);
        return place->wire->write(sealed(head, file));
    }
    const auto piece = message.as<protocol::Piece>();
    if (!sends_ || !piece.length || piece.length > piece.data.size())
        throw StoreError("length: no file was announced here, or a piece has not 1 to " + std::to_string(piece.data.size()) + " bytes");
    try {
        head.frame = store_->append(message.header.frame, piece.data.data(), piece.length);
    } catch (const StoreError &) {
        sends_.reset();
        throw;
    }
    if (!store_->receives()) sends_.reset();
    place->wire->write(sealed(head, protocol::Ack{}));
}

void Orders::load(const Place &place, const Message &message) {
    if (!store_) throw StoreError("this node takes no files; start it with --store and --keys");
    const auto order = message.as<protocol::Load>();
    const bool program = order.bitstream != Hash{}, weights = order.weights != Hash{};
    if (!program && !weights) throw StoreError("bitstream, weights: the order names no file");
    if (program && !node_.board().programmer()) throw StoreError("bitstream: this board has nothing that loads it");
    if (program && !node_.programs())
        throw StoreError("bitstream: a transfer of this card waits for a frame of another card, and cannot be ended; stop the server, and "
                         "load the bitstream after xbutil reset");
    if (weights && !weight_bytes(node_.settings())) throw StoreError("weights: this node has no memory that the host can write");
    const Job job{program ? std::optional(store_->known(order.bitstream, FileKind::BITSTREAM)) : std::nullopt,
                  weights ? std::optional(store_->known(order.weights, FileKind::WEIGHTS)) : std::nullopt};
    auto work = [this, job] { load_job(*store_, job, node_.board(), node_.core(), node_.settings()); };
    const auto wire = place->wire;
    // The connection may be gone by then, and its place with it.
    const auto done = [this, wire, order](const std::string &text) {
        auto head = header();
        head.flags = static_cast<std::uint16_t>(protocol::Flag::ANSWER);
        if (text.empty()) wire->write(sealed(head, order));
        else wire->write(fault(header(), Code::CORE, text));
    };
    if (!node_.load(work, done)) wire->write(fault(header(), Code::BUSY, "node " + node_.settings().name + " loads a file already"));
}

void Orders::obey(const Place &place, const Message &message) {
    const auto order = message.as<protocol::Order>();
    auto head = header();
    head.flags = static_cast<std::uint16_t>(protocol::Flag::ANSWER);
    if (order.what == kHold || order.what == kGoOn) {
        node_.hold(order.what == kHold);
    } else if (order.what == kEnd) {
        end_.expires_after(kFarewell);
        end_.async_wait([this](asio::error_code error) {
            if (!error) io_.stop();
        });
    } else {
        return place->wire->write(fault(header(), Code::MALFORMED, "what: there is no order " + std::to_string(order.what)));
    }
    place->wire->write(sealed(head, order));
}

}  // namespace shellgen
