// SPDX-License-Identifier: BSD-3-Clause
#include "node.h"

#include <poll.h>

#include <algorithm>
#include <iostream>

namespace shellgen {
namespace {

constexpr std::chrono::microseconds kPoll{50};  // where a board has no interrupt
constexpr std::chrono::milliseconds kListen{100};  // until a transfer is looked at that no event has told of
constexpr unsigned kUnheard = 3;                   // such transfers in a row, until all are polled
constexpr std::chrono::seconds kDrain{2};        // until frames in the core are given up
constexpr std::chrono::milliseconds kDrainLook{5};
constexpr std::chrono::milliseconds kStepLook{1};
constexpr std::chrono::seconds kSessions{15};  // from the end of a reset until all links must be up
constexpr std::chrono::milliseconds kOnTheWay{100};  // for what cards under Coyote have sent before all were held
enum : std::size_t { kAddresses, kNeighbours, kUp };  // phases of bringing up the links

std::string hexadecimal(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

}  // namespace

Node::Node(asio::io_context &io, const Options &options, const NodeSettings &settings, Board &board,
           Keys *keys)
    : io_(io), options_(options), settings_(settings), board_(board), keys_(keys), core_(board.registers(), settings),
      rings_(settings, board), links_(board.registers(), settings), engine_(board.engine(settings)),
      event_(io), timer_(io), drain_(io), steps_(io) {
    auto go = [this] { pump(); };
    auto failed = [this](const std::string &text) { fail(text); };
    for (const auto &stream : settings.streams) {
        auto *const port = engine_->port(stream.index);
        if (!port) continue;
        auto &buffers = engine_->buffers(stream.index);
        if (stream.enters) {
            auto &made = receivers_[stream.index] = std::make_unique<Receiver>(io, stream, buffers, slots_of(options, stream), go);
            feeders_.push_back({port, made.get(), nullptr});
            if (stream.program) inlets_[stream.index] = std::make_unique<UdpInlet>(io, *made, options.packets, failed);
            continue;
        }
        std::vector<std::optional<Endpoint>> to;
        for (const auto &consumer : stream.consumers) {
            const auto found = options.connect.find(consumer.boundary);
            const bool given = found != options.connect.end();
            if (stream.program) {
                if (given) throw InputError("--connect: " + consumer.boundary + " goes to a card by UDP, whose address is in the map");
                continue;
            }
            if (given == consumer.host)
                throw InputError("--connect: " + consumer.boundary + (consumer.host ? " ends at the client, which connects itself"
                                                                                   : " goes to another node: give its address"));
            to.push_back(given ? std::optional<Endpoint>(found->second) : std::nullopt);
        }
        auto &made = senders_[stream.index] = std::make_unique<Sender>(io, stream, buffers, slots_of(options, stream), to, options.token,
                                                                       options.data_tls ? keys : nullptr, go, options.packets, failed);
        takers_.push_back({port, nullptr, made.get()});
    }
    for (const auto &[boundary, to] : options.connect) {
        const auto known = [&name = boundary](const StreamSettings &stream) {
            const auto named = [&](const ConsumerSettings &one) { return one.boundary == name; };
            return std::any_of(stream.consumers.begin(), stream.consumers.end(), named);
        };
        if (std::none_of(settings.streams.begin(), settings.streams.end(), known))
            throw InputError("--connect: no boundary " + boundary + " leaves node " + settings.name);
    }
    board.buffers().taken();
    if (!missing()) core_.check();
    polls_ = board.event() < 0;
    if (!polls_) {
        event_.assign(board.event());
        watch();
    }
}

bool Node::admits(const protocol::Hello &hello, std::uint32_t edge) {
    return gate_.has_key() ? gate_.take(hello.token, hello.role, edge) : !keys_ && same(hello.token, options_.token);
}

bool Node::able() {
    std::string why;
    if (missing()) why = settings_.name + ": no bitstream is loaded; order one by shellgen program";
    else if (!blocked_.empty()) why = blocked_ + "; order the files again by shellgen program";
    if (!why.empty()) fail(why);
    return why.empty();
}

void Node::close_all() {
    failure_.clear();
    detached_ = false;
    inside_ns_ = 0;
    for (auto &[index, inlet] : inlets_) inlet->close();
    for (auto &[index, receiver] : receivers_) receiver->close();
    for (auto &[index, sender] : senders_) sender->close();
    for (auto *channels : {&feeders_, &takers_})
        for (auto &channel : *channels) channel.busy = false;
}

void Node::begin(std::uint32_t epoch, std::uint64_t first, const protocol::Epoch &order, std::function<void()> done) {
    if (!able()) return;
    if (settings_.joined)
        return quiet([this, epoch, first, order, done = std::move(done)] {
            bring_up(kNeighbours, [this, epoch, first, order, done] {
                core_.clear_flags();
                engine_->release(core_);
                between_ = false;
                up_ = links_.phases() <= kUp;
                if (go_on(epoch, first, order.key)) done();
            });
        });
    close_all();
    between_ = false;
    try {
        engine_->begin(core_, [&] {
            core_.turns(order);
            rings_.arm();
        });
    } catch (const BoardError &error) {
        return fail(error.what());
    }
    if (go_on(epoch, first, order.key)) done();
}

bool Node::go_on(std::uint32_t epoch, std::uint64_t first, const Secret &key) {
    epoch_ = epoch;
    gate_.begin(key, epoch);
    board_.enable();
    sessions_ = Clock::now() + kSessions;
    try {
        for (auto &[index, receiver] : receivers_) receiver->begin(epoch, first);
        for (auto &[index, inlet] : inlets_) inlet->begin();
        for (auto &[index, sender] : senders_) sender->begin(epoch, first, key);
    } catch (const BoardError &error) {
        fail(error.what());
        return false;
    }
    pump();
    return true;
}

std::string Node::unanswered() const {
    for (const auto &[index, inlet] : inlets_)
        if (!inlet->open()) return settings_.streams.at(index).boundary;
    for (const auto &[index, sender] : senders_)
        if (!sender->open()) return sender->stream().boundary;
    return {};
}

void Node::prepare(std::uint32_t epoch, const protocol::Epoch &order, std::function<void()> done) {
    if (!able()) return;
    between_ = true;
    prepared_ = 0;
    ++turn_;
    close_all();
    if (!settings_.joined) {
        prepared_ = epoch;
        return done();
    }
    try {
        engine_->hold(core_, [&] { core_.turns(order); });
    } catch (const BoardError &error) {
        return fail(error.what());
    }
    bring_up(kAddresses, [this, epoch, done = std::move(done)] {
        prepared_ = epoch;
        done();
    });
}

void Node::quiet(std::function<void()> then) {
    if (settings_.bus != Bus::COYOTE) return then();
    const auto turn = ++turn_;
    steps_.expires_after(kOnTheWay);
    steps_.async_wait([this, turn, then = std::move(then)](asio::error_code error) {
        if (!error && turn == turn_) then();
    });
}

void Node::bring_up(std::size_t phase, std::function<void()> done) {
    const auto turn = ++turn_;
    try {
        if (phase < links_.phases()) links_.begin(phase);
        else return done();
    } catch (const BoardError &error) {
        return fail(error.what());
    }
    look_up(turn, std::move(done));
}

void Node::look_up(unsigned turn, std::function<void()> done) {
    if (turn != turn_) return;
    try {
        if (links_.go()) return done();
    } catch (const BoardError &error) {
        return fail(error.what());
    }
    steps_.expires_after(kStepLook);
    steps_.async_wait([this, turn, done = std::move(done)](asio::error_code error) mutable {
        if (!error) look_up(turn, std::move(done));
    });
}

void Node::watch() {
    event_.async_wait(asio::posix::stream_descriptor::wait_read, [this](asio::error_code error) {
        if (error) return;
        board_.acknowledge();
        unheard_ = 0;
        came_ = true;
        pump();
        watch();
    });
}

void Node::pump() {
    if (pumping_ || !epoch_ || !failure_.empty() || detached_ || between_) return;  // what it calls may call it
    pumping_ = true;
    try {
        while (step()) {
        }
        for (auto &[index, sender] : senders_) sender->send();
    } catch (const BoardError &error) {
        pumping_ = false;
        return fail(error.what());
    }
    pumping_ = false;
    if (polls_) return poll();
    if (came_) board_.rearm();
    came_ = false;
    listen();
}

// An event that never comes must not stop the frames: while one is under way, somebody looks now and then.
void Node::listen() {
    if (listens_ || core_empty()) return;
    listens_ = true;
    timer_.expires_after(kListen);
    timer_.async_wait([this](asio::error_code error) {
        listens_ = false;
        if (error) return;
        pollfd one{event_.native_handle(), POLLIN, 0};
        const auto before = moved_;
        const bool silent = ::poll(&one, 1, 0) == 0;
        pump();
        if (!silent || moved_ == before || polls_ || ++unheard_ < kUnheard) return;
        polls_ = true;
        std::cerr << "shellgen-node: transfers end without an interrupt, so they are polled; are the --interrupt devices those of the DMAs?"
                  << std::endl;
        poll();
    });
}

bool Node::step() {
    bool moved = false;
    for (auto &channel : takers_) moved |= take(channel);
    for (auto &channel : feeders_) moved |= feed(channel);
    moved_ += moved;
    return moved;
}

// From the core into the buffers of a sender.
bool Node::take(Channel &channel) {
    auto &sender = *channel.sender;
    bool moved = false;
    if (channel.busy && channel.port->finished()) {
        const auto bytes = channel.port->moved();
        if (bytes != sender.stream().frame_bytes)
            throw BoardError(sender.stream().boundary + ": a frame has " + std::to_string(bytes) + " bytes instead of " +
                             std::to_string(sender.stream().frame_bytes));
        engine_->buffers(sender.stream().index).invalidate(sender.under_way(), bytes);
        channel.busy = false;
        moved = true;
        if (&channel == &takers_.front() && !feeders_.empty()) {
            const auto arrival = feeders_.front().receiver->arrival(sender.count());
            const auto inside = Receiver::Clock::now() - arrival;
            inside_ns_ += static_cast<std::uint64_t>(std::chrono::nanoseconds(inside).count());
        }
        sender.made();
    }
    if (!channel.busy && sender.has_room()) {
        channel.port->start(sender.next());
        sender.start();
        channel.busy = true;
        moved = true;
    }
    return moved;
}

// From the buffers of a receiver into the core.
bool Node::feed(Channel &channel) {
    auto &receiver = *channel.receiver;
    bool moved = false;
    if (channel.busy && channel.port->finished()) {
        channel.busy = false;
        moved = true;
        receiver.release();
    }
    // What leaves the core has a place before anything more goes in. Without a core, no stream waits for another.
    const auto armed = [this](const Channel &taker) { return taker.busy || settings_.gateway; };
    // With several streams, a frame that one of them has begun is completed.
    const bool may = !holds() || receiver.started() < most_started();
    if (!channel.busy && may && receiver.waits() && std::all_of(takers_.begin(), takers_.end(), armed)) {
        engine_->buffers(receiver.stream().index).flush(receiver.front(), receiver.stream().frame_bytes);
        channel.port->start(receiver.front());
        receiver.start();
        channel.busy = true;
        moved = true;
    }
    return moved;
}

// S2MM is always armed: while no frame is in the core, there is nothing to look for, unless frames come into it by other ways.
void Node::poll() {
    const auto gives = [](const Channel &channel) { return channel.busy; };
    if (settings_.joined ? takers_.empty() && std::none_of(feeders_.begin(), feeders_.end(), gives) : core_empty()) return;
    timer_.expires_after(kPoll);
    timer_.async_wait([this](asio::error_code error) {
        if (!error) pump();
    });
}

void Node::fail(const std::string &text) {
    failure_ = text;
    if (on_failure) on_failure(text);
}

void Node::examine() {
    if (!epoch_ || !failure_.empty() || loading_ || between_) return;
    try {
        const bool late = Clock::now() > sessions_;
        if (!up_) up_ = links_.reached(kUp, late);
        if (late)
            if (const auto boundary = unanswered(); !boundary.empty()) throw BoardError(boundary + ": the card has not answered");
        core_.verify();
        rings_.verify();
        engine_->verify();
    } catch (const BoardError &error) {
        fail(error.what());
    }
}

Node::~Node() {
    if (worker_.joinable()) worker_.join();
    if (!epoch_ || detached_) return;
    try {
        detach();  // nothing moves data any more when the memory is gone
    } catch (const BoardError &) {
    }
}

bool Node::missing() const { return board_.programmer() && !board_.programmer()->programmed(); }

void Node::hold(bool held) {
    held_ = held;
    pump();
}

std::uint64_t Node::most_started() const {
    std::uint64_t found = 0;
    for (const auto &[index, receiver] : receivers_) found = std::max(found, receiver->started());
    return found;
}

std::uint64_t Node::passed(const StreamSettings &stream) {
    if (stream.joined) return core_.frames(stream.index);
    return stream.enters ? receivers_.at(stream.index)->started() : senders_.at(stream.index)->count();
}

bool Node::core_empty() {
    if (!epoch_ || between_) return true;
    if (std::any_of(feeders_.begin(), feeders_.end(), [](const Channel &channel) { return channel.busy; })) return false;
    if (settings_.gateway) return true;
    try {
        std::optional<std::uint64_t> frames;
        for (const auto &stream : settings_.streams) {
            if (stream.weights) continue;
            const auto found = passed(stream);
            if (frames && *frames != found) return false;
            frames = found;
        }
    } catch (const BoardError &) {
        return false;  // who looks at the core next will say so
    }
    return true;
}

bool Node::drained() {
    return core_empty() && std::all_of(senders_.begin(), senders_.end(), [](const auto &one) { return !one.second->unsent(); });
}

// A core that deals frames to others is never empty by its numbers: after a while its frames are given up, and the next
// epoch repeats them.
void Node::drain(Clock::time_point end, std::shared_ptr<std::function<void()>> then) {
    if (core_empty() || !failure_.empty() || Clock::now() > end) return (*then)();
    drain_.expires_after(kDrainLook);
    drain_.async_wait([this, end, then](asio::error_code error) {
        if (!error) drain(end, then);
    });
}

// What a DMA is about to move has no other side while the PL is loaded.
void Node::detach() {
    detached_ = true;
    for (auto *channels : {&feeders_, &takers_})
        for (auto &channel : *channels) channel.busy = false;
    if (missing()) return;
    engine_->detach(core_, [this] { rings_.disarm(); });
}

bool Node::load(std::function<void()> work, std::function<void(const std::string &)> done) {
    if (loading_) return false;
    ++turn_;
    if (worker_.joinable()) worker_.join();
    loading_ = true;
    auto after = [this, done](const std::string &text, bool touched) {
        loading_ = false;
        if (touched) blocked_ = text;
        if (text.empty()) {
            failure_ = "files were loaded, and a new epoch must begin";
            if (on_loaded) on_loaded();
        } else {
            fail(text);
        }
        done(text);
    };
    drain(Clock::now() + kDrain, std::make_shared<std::function<void()>>([this, work, after] {
        try {
            detach();
        } catch (const BoardError &error) {
            return after(error.what(), true);
        }
        worker_ = std::thread([this, work, after] {
            std::string text;
            bool touched = true;
            try {
                work();
            } catch (const BoardError &error) {
                text = error.what();
            } catch (const std::exception &error) {  // of the files, before anything was loaded
                text = error.what();
                touched = false;
            }
            asio::post(io_, [after, text, touched] { after(text, touched); });
        });
    }));
    return true;
}

// Of a stream that does not pass this program.
std::uint64_t Node::counted(const StreamSettings &stream) {
    if (!epoch_ || between_ || detached_ || missing()) return 0;
    try {
        return core_.frames(stream.index);
    } catch (const BoardError &) {
        return 0;  // `examine` says so
    }
}

protocol::Ping Node::state() {
    protocol::Ping found;
    found.received = found.made = ~std::uint64_t{0};
    for (const auto &[index, receiver] : receivers_) {
        found.received = std::min(found.received, receiver->received());
        found.waiting = std::max(found.waiting, static_cast<std::uint32_t>(receiver->waiting()));
    }
    for (const auto &[index, sender] : senders_) {
        found.made = std::min(found.made, sender->count());
        found.unsent = std::max(found.unsent, static_cast<std::uint32_t>(sender->unsent()));
    }
    for (const auto &stream : settings_.streams) {
        if (!stream.joined) continue;
        auto &least = stream.enters ? found.received : found.made;
        least = std::min(least, counted(stream));
    }
    for (auto *one : {&found.received, &found.made})
        if (*one == ~std::uint64_t{0}) *one = 0;
    found.inside_ns = inside_ns_;
    return found;
}

void Node::greet(const std::shared_ptr<Wire> &wire, const Message &message) {
    const auto hello = message.as<protocol::Hello>();
    Header head;
    head.edge = message.header.edge;
    head.epoch = epoch_;
    const auto refuse = [&](Code code, const std::string &text) { wire->end(fault(head, code, text)); };
    const bool enters = hello.role == static_cast<std::uint8_t>(protocol::Role::SOURCE);
    const StreamSettings *stream = nullptr;
    Outlet *outlet = nullptr;
    for (const auto &one : settings_.streams) {
        if (one.joined || one.weights || one.program) continue;
        if (!one.enters && !enters) {
            auto *const found = senders_.at(one.index)->outlet(message.header.edge);
            if (found) outlet = found, stream = &one;
        } else if (one.edge == message.header.edge && one.enters == enters) {
            stream = &one;
        }
    }
    if (!stream) return refuse(Code::EDGE, "edge: no such boundary " + std::string(enters ? "enters" : "leaves") + " node " + settings_.name);
    if (hello.contract != stream->contract)
        return refuse(Code::CONTRACT, "contract: " + hexadecimal(hello.contract) + " instead of " + hexadecimal(stream->contract) +
                                          " at " + stream->boundary);
    if (hello.frame_bytes != stream->frame_bytes)
        return refuse(Code::FRAME_BYTES, "frame_bytes: " + std::to_string(hello.frame_bytes) + " instead of " +
                                             std::to_string(stream->frame_bytes) + " at " + stream->boundary);
    if (!epoch_ || message.header.epoch != epoch_ || !failure_.empty() || between_)
        return refuse(Code::EPOCH, "epoch: " + std::to_string(message.header.epoch) + " instead of " + std::to_string(epoch_));
    protocol::Welcome welcome;
    welcome.build_id = settings_.build_id;
    if (enters) return receivers_.at(stream->index)->attach(wire, head, welcome);
    if (outlet->connects()) return refuse(Code::EDGE, "edge: " + outlet->consumer().boundary + " goes to another node");
    if (!outlet->holds(message.header.frame))
        return refuse(Code::ORDER, "frame: " + std::to_string(message.header.frame) + " is not there; the oldest is " +
                                       std::to_string(outlet->oldest()));
    head.frame = message.header.frame;
    wire->write(sealed(head, welcome));
    outlet->attach(wire, message.header.frame, senders_.at(stream->index)->slots());
}

}  // namespace shellgen
