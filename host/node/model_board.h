// SPDX-License-Identifier: BSD-3-Clause
// The board of a rehearsal: the core in a simulator, models of its DMAs, and a thread that is its clock.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "axi_model.h"
#include "core_model.h"
#include "dma_model.h"

namespace shellgen {

class ModelBoard : public Board, private Registers, private Programmer {
public:
    // Loads the library of the core; `none`: a board without a bitstream. Throws InputError if it does not fit the map.
    ModelBoard(const std::string &library, const NodeSettings &settings);
    ~ModelBoard() override;

    Registers &registers() override { return *this; }
    Buffers &buffers() override { return memory_; }
    Programmer *programmer() override { return this; }
    int event() override { return event_; }
    void acknowledge() override;

private:
    struct Channel {
        DmaModel *dma;
        StreamPins pins;
        std::uint64_t frames = 0;  // transfers since the last reset
    };

    std::uint32_t read(std::uint64_t address) override;
    void write(std::uint64_t address, std::uint32_t value) override;

    bool programmed() override;
    // The trap of a real one: a DMA that runs while its other side disappears.
    void program(const std::string &path) override;

    void load(const std::string &library);
    void unload();
    DmaModel *dma_at(std::uint64_t address);
    std::uint32_t access(bool writes, std::uint64_t address, std::uint32_t value);
    void cycle();
    void drive(Channel &channel);
    void take(Channel &channel);
    bool busy() const;
    void clock();

    const NodeSettings &settings_;
    ModelMemory memory_;
    CoreModel core_;
    const CoreModel::Cycle cycle_ = [this] { cycle(); };
    std::deque<DmaModel> dmas_;
    std::vector<AxiModel> memories_;         // at masters of the core
    std::vector<Channel> senders_, takers_, repeaters_;  // MM2S, S2MM, MM2S of weights
    bool moved_ = false;                     // a beat, in the last cycle
    int event_ = -1;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::atomic<int> waiting_{0};
    bool ends_ = false;
    std::thread thread_;
};

}  // namespace shellgen
