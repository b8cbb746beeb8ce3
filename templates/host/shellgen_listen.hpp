// SPDX-License-Identifier: BSD-3-Clause
// Waits for the boards that send to this one, and rejects other clients; shellgen_listen.py has the same.
//
// Any host in the network may connect, send anything or nothing, and leave, which costs a line on stderr. A client that
// is no runner of a board before this one gets an error and is disconnected; a client has SILENT seconds to identify
// itself. C++17.
#ifndef SHELLGEN_LISTEN_HPP
#define SHELLGEN_LISTEN_HPP

#include "shellgen_socket.hpp"

#include <arpa/inet.h>

#include <list>

namespace {

constexpr const char *HERE = "127.0.0.1";
constexpr size_t GUESTS = 64;    // that may say who they are at the same time
constexpr double SILENT = 10.0;  // seconds for it
constexpr double LOOK = 0.2;     // seconds between looks at those who have been let in
constexpr int NOTES = 20;        // lines about others

using Sources = std::map<uint32_t, std::unique_ptr<SocketSource>>; // by the number of the stream

// Somebody who has connected and not said yet who it is.
struct Guest {
    Socket peer;
    std::string name;
    double end;
    std::string line;

    // Take what has come of the first line: whether it is whole. What follows it stays in the socket.
    bool hear()
    {
        char seen[LINE];
        ssize_t count = recv(peer.number(), seen, LINE, MSG_PEEK);
        if (count > 0) {
            const void *at = memchr(seen, '\n', static_cast<size_t>(count));
            const size_t whole = at ? static_cast<size_t>(static_cast<const char *>(at) - seen) + 1 : static_cast<size_t>(count);
            count = recv(peer.number(), seen, whole, 0);
        }
        if (count < 0 && would_block())
            return false;
        if (count < 0)
            throw NoHello(strerror(errno));
        if (count == 0)
            throw NoHello("it has closed the connection");
        line.append(seen, static_cast<size_t>(count));
        if (line.size() > LINE)
            throw NoHello("it sends no line that ends");
        return line.back() == '\n';
    }
};

class Listener {
public:
    // `text` is [HOST:]PORT; without a host, only programs of this machine can connect. `streams` are to be fed, by
    // number, and their sources go into `sources`.
    Listener(const std::string &text, std::map<uint32_t, const shellgen_stream *> streams, Sources &sources)
        : text_(text), streams_(std::move(streams)), sources_(sources)
    {
    }

    bool open(shellgen_error &error)
    {
        Address address;
        std::string why;
        if (!read_address(text_, HERE, address, error))
            return false;
        const Found list = look_up(address, why);
        if (list) {
            const int one = 1;
            server_ = Socket(socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
            if (!server_ || setsockopt(server_.number(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) ||
                bind(server_.number(), list->ai_addr, list->ai_addrlen) || listen(server_.number(), SOMAXCONN))
                why = strerror(errno);
        }
        if (!why.empty()) {
            shellgen_fail(&error, "--listen %s: %s", printable(text_).c_str(), why.c_str());
            return false;
        }
        if (text_.find(':') == std::string::npos)
            note("only programs of this machine can connect; give --listen ADDRESS:" + address.port + " for others");
        return true;
    }

    // The names of streams that nobody sends yet, in order.
    std::string missing() const
    {
        std::vector<std::string> names;
        for (const auto &one : streams_)
            if (!sources_.count(one.first))
                names.push_back(one.second->name);
        std::sort(names.begin(), names.end());
        std::string text;
        for (const std::string &name : names)
            text += (text.empty() ? "" : ", ") + name;
        return text;
    }

    // Wait until one more stream has a source; fail if none has come until the time.
    bool wait(double end, shellgen_error &error)
    {
        size_t count = sources_.size();
        while (sources_.size() <= count) {
            const double left = end - shellgen_now();
            if (left <= 0) {
                const std::string last = last_.empty() ? "" : " (" + last_ + ")";
                shellgen_fail(&error, "--listen %s: nobody has sent %s%s; give --wait more", text_.c_str(),
                              missing().c_str(), last.c_str());
                return false;
            }
            look(std::min(left, LOOK));
            count = std::min(count, forget());
        }
        return true;
    }

private:
    void look(double seconds)
    {
        std::vector<pollfd> asked = {{server_.number(), POLLIN, 0}};
        for (const Guest &guest : guests_)
            asked.push_back({guest.peer.number(), POLLIN, 0});
        if (poll(asked.data(), asked.size(), static_cast<int>(seconds * 1e3) + 1) < 0)
            return;
        size_t at = 1; // those who are let in now are heard next time
        for (auto guest = guests_.begin(); at < asked.size(); at++) {
            const auto next = std::next(guest);
            if (asked[at].revents)
                hear(guest);
            guest = next;
        }
        if (asked[0].revents)
            let_in();
        for (auto guest = guests_.begin(); guest != guests_.end();) {
            const auto next = std::next(guest);
            if (shellgen_now() > guest->end)
                refuse(guest, "it has not said who it is");
            guest = next;
        }
    }

    void let_in()
    {
        sockaddr_storage from = {};
        socklen_t size = sizeof from;
        char name[NI_MAXHOST] = "somebody";
        Socket peer(accept4(server_.number(), reinterpret_cast<sockaddr *>(&from), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!peer) // it has gone already, or there are no more sockets for now
            return;
        getnameinfo(reinterpret_cast<sockaddr *>(&from), size, name, sizeof name, nullptr, 0, NI_NUMERICHOST);
        guests_.push_back({std::move(peer), name, shellgen_now() + SILENT, ""});
        if (guests_.size() > GUESTS)
            refuse(guests_.begin(), "too many have connected");
    }

    void hear(std::list<Guest>::iterator guest)
    {
        Hello hello;
        try {
            if (!guest->hear())
                return;
            hello = read_hello(guest->line);
        } catch (const NoHello &error) {
            refuse(guest, std::string("it is no runner of shellgen: ") + error.what());
            return;
        }
        const std::string wrong = what_is_wrong(hello);
        if (!wrong.empty())
            return refuse(guest, wrong);
        if (!answer(*guest, ""))
            return refuse(guest, "it has closed the connection");
        for (const auto &one : streams_)
            if (hello.stream == one.second->name)
                sources_[one.first] = std::make_unique<SocketSource>(std::move(guest->peer), guest->name, *one.second,
                                                                     std::stoull(hello.frames));
        guests_.erase(guest);
    }

    // What does not fit, empty if all does.
    std::string what_is_wrong(const Hello &hello) const
    {
        const shellgen_stream *awaited = nullptr;
        for (const auto &one : streams_)
            if (!sources_.count(one.first) && hello.stream == one.second->name)
                awaited = one.second;
        if (!awaited)
            return "it sends " + shown_in_quotes(hello.stream, 80) + "; awaited is " + missing();
        if (hello.contract != awaited->contract)
            return "its frames of " + hello.stream + " are packed by contract " + shown_in_quotes(hello.contract, 16) +
                   ", and here by " + shown_in_quotes(awaited->contract, SIZE_MAX);
        const std::string bytes = std::to_string(awaited->frame_bytes);
        const bool few = hello.frames.size() <= 10 && hello.frames[0] != '-' && std::stoull(hello.frames) >= 1 &&
                         std::stoull(hello.frames) <= MOST_FRAMES;
        if (!few || hello.frame_bytes != bytes)
            return "it sends " + printable(hello.frames, 20) + " frames of " + printable(hello.frame_bytes, 20) +
                   " bytes; they have " + bytes + " bytes here";
        return "";
    }

    // Send a client the reason; return whether it could be sent.
    static bool answer(const Guest &guest, const std::string &wrong)
    {
        const std::string line = json_string(wrong) + "\n";
        return send(guest.peer.number(), line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
    }

    void refuse(std::list<Guest>::iterator guest, const std::string &wrong)
    {
        answer(*guest, wrong);
        last_ = printable(guest->name + ": " + wrong);
        guests_.erase(guest);
        note(last_ + "; it is left out");
    }

    // Drop sources that have gone before the run began; return how many are left.
    size_t forget()
    {
        for (auto source = sources_.begin(); source != sources_.end();) {
            if (!source->second->lost()) {
                ++source;
                continue;
            }
            note(source->second->name() + ": it has gone before the run began; another may take its place");
            source = sources_.erase(source);
        }
        return sources_.size();
    }

    void note(const std::string &text)
    {
        if (++notes_ <= NOTES)
            fprintf(stderr, "--listen %s: %s%s\n", printable(text_).c_str(), text.c_str(),
                    notes_ == NOTES ? "; further clients are not listed" : "");
    }

    const std::string text_;
    const std::map<uint32_t, const shellgen_stream *> streams_;
    Sources &sources_;
    Socket server_;
    std::list<Guest> guests_;
    std::string last_;
    int notes_ = 0;
};

} // namespace

#endif
