// SPDX-License-Identifier: BSD-3-Clause
// A simulated card in another process (simulate_modules/coyote_program.py), asked by lines of text over a socket; the
// memory of transfers is copied there and back. COYOTE_SHELL is the path of the socket.
#include "shell.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>
#include <utility>

namespace {

using Way = std::pair<unsigned, unsigned>; // region and thread

} // namespace

struct Shell::State {
    struct Waiting {
        void *to;
        size_t bytes;
    };
    int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    std::map<Way, std::deque<Waiting>> waiting;

    void say(char what, uint64_t region, uint64_t place, uint64_t value)
    {
        const uint64_t request[] = {static_cast<uint64_t>(what), region, place, value};
        give(request, sizeof request);
    }

    uint64_t answer()
    {
        uint64_t value = 0;
        take(&value, sizeof value);
        return value;
    }

    void give(const void *data, size_t bytes)
    {
        for (const auto *at = static_cast<const char *>(data); bytes;) {
            const ssize_t sent = send(socket, at, bytes, MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR)
                continue;
            if (sent <= 0)
                throw std::runtime_error("stand-in: the simulation has ended");
            at += sent;
            bytes -= static_cast<size_t>(sent);
        }
    }

    void take(void *data, size_t bytes)
    {
        for (auto *at = static_cast<char *>(data); bytes;) {
            const ssize_t got = recv(socket, at, bytes, 0);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                throw std::runtime_error("stand-in: the simulation has ended");
            at += got;
            bytes -= static_cast<size_t>(got);
        }
    }
};

Shell::Shell() : state(std::make_unique<State>())
{
    const char *path = std::getenv("COYOTE_SHELL");
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path ? path : "");
    if (connect(state->socket, reinterpret_cast<sockaddr *>(&address), sizeof address))
        throw std::runtime_error("stub: COYOTE_SHELL is no socket");
}

Shell::~Shell()
{
    close(state->socket);
}

Shell &Shell::get()
{
    static Shell shell;
    return shell;
}

void Shell::csr_write(unsigned region, unsigned index, uint64_t value)
{
    state->say('w', region, index, value);
}

uint64_t Shell::csr_read(unsigned region, unsigned index)
{
    state->say('r', region, index, 0);
    return state->answer();
}

void Shell::start_read(unsigned region, unsigned dest, unsigned pid, const void *data, size_t bytes, bool last)
{
    state->say(last ? 'R' : 'P', region, dest << 8 | pid, bytes);
    state->give(data, bytes);
}

void Shell::start_write(unsigned region, unsigned dest, unsigned pid, void *data, size_t bytes)
{
    state->waiting[Way(region, pid)].push_back({data, bytes});
    state->say('W', region, dest << 8 | pid, bytes);
}

void Shell::map(unsigned region, unsigned pid, const void *from, size_t bytes)
{
    state->say('m', region, pid, reinterpret_cast<uintptr_t>(from));
    state->say('b', region, pid, bytes);
}

uint32_t Shell::done_reads(unsigned region, unsigned pid)
{
    state->say('d', region, pid, 0);
    return static_cast<uint32_t>(state->answer());
}

// The data of what has ended since it was asked last comes before the answer.
uint32_t Shell::done_writes(unsigned region, unsigned pid)
{
    state->say('D', region, pid, 0);
    for (uint64_t more = state->answer(); more; more--) {
        auto &queue = state->waiting[Way(region, pid)];
        state->take(queue.front().to, queue.front().bytes);
        queue.pop_front();
    }
    return static_cast<uint32_t>(state->answer());
}

void Shell::clear(unsigned region, unsigned pid)
{
    state->say('c', region, pid, 0);
}
