// SPDX-License-Identifier: BSD-3-Clause
// Ports whose transfers cannot be stopped: VNx's data movers behind XRT, host streams of Coyote. The core's reset by CONTROL
// brings every transfer of which something has come to its end; one of which nothing has come gets the next frame.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "engine.h"
#include "settings.h"

namespace shellgen {

// One stream with memory of its own.
class RunPort : public Port, public Buffers {
public:
    RunPort(std::string name, const StreamSettings &stream)
        : name_(std::move(name)), frame_bytes_(stream.frame_bytes), memory_bytes_(stream.memory_bytes), gives_(stream.enters) {}

    void start(const Buffer &buffer) override;
    bool finished() override;
    std::uint32_t moved() override { return frame_bytes_; }

    // Takes its own memory.
    void prepare() { scratch_ = take(memory_bytes_); }
    // Into the core.
    bool gives() const { return gives_; }
    // A transfer is under way.
    bool busy() { return busy_ && !finished(); }
    // Waits for a frame that nobody looks at, or for the first of an epoch.
    void arm();
    // Gives a frame of zeros.
    void zeros();
    // Before and behind a transfer from the core: makes its memory known, and tells whether something has come there.
    void mark();
    bool marked();
    // What was counted as the end of a transfer was another one's; it goes on.
    void recount() {
        busy_ = true;
        count_another();
    }

protected:
    // Begins a transfer of `memory_bytes`.
    virtual void begin(const Buffer &buffer) = 0;
    // Whether it is over. Throws BoardError if it failed.
    virtual bool over() = 0;
    // A transfer that this port has not begun has been counted.
    virtual void count_another() {}
    // Nothing is under way any more: the core is gone.
    void forget();

    std::string name_;
    std::uint32_t frame_bytes_, memory_bytes_;

private:
    bool gives_, busy_ = false;
    Buffer scratch_, into_;           // for what nobody looks at; where the transfer puts its frame
    const Buffer *wanted_ = nullptr;  // where the frame shall go, if the transfer has begun before that was known
};

using RunPorts = std::map<unsigned, std::unique_ptr<RunPort>>;  // by stream

class RunEngine : public Engine {
public:
    // `remedy`: what helps if a transfer never ends. `stale`: those of a server that was killed may still be there.
    RunEngine(std::string name, RunPorts &ports, std::string remedy, bool stale);

    Port *port(unsigned stream) override { return find(stream); }
    Buffers &buffers(unsigned stream) override { return *find(stream); }
    void begin(Core &core, const std::function<void()> &held) override;
    void hold(Core &core, const std::function<void()> &held) override;
    void release(Core &core) override;
    void detach(Core &core, const std::function<void()> &held) override;

private:
    RunPort *find(unsigned stream);
    // `pending`: whether there is something to be waited for besides the ports, at a number of seconds.
    void settle(const std::function<bool(std::chrono::steady_clock::duration)> &pending, const std::function<bool(RunPort &)> &look);
    void reset(Core &core, const std::function<bool(RunPort &)> &look);
    static bool fetch(RunPort &port);
    // Leaves nothing in the core nor in the ports.
    void clear(Core &core, const std::function<void()> &held);
    // Lets frames of zeros through, until none is taken by a transfer that is not ours.
    void flush(Core &core);
    // Waits until the result of a frame of zeros is there; tells whether it has come.
    bool arrives(std::chrono::steady_clock::duration patience);
    // Waits until no transfer is under way, or none to the core; tells whether that is so.
    bool rest(std::chrono::steady_clock::duration patience, bool all);

    std::string name_;
    RunPorts &ports_;
    std::string remedy_;
    bool stale_;
};

}  // namespace shellgen
