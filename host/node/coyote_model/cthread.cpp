// SPDX-License-Identifier: BSD-3-Clause
#include <coyote/cThread.hpp>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace coyote {
namespace {

constexpr std::size_t kAhead = 512;                   // beats of the shell's FIFO for writes
constexpr std::size_t kMost = 128 * 1024 * 1024;      // bytes of a transfer
constexpr std::size_t kHuge = std::size_t{1} << 21;

std::shared_ptr<card_model::Card> vfpga(int32_t number) {
    static std::map<int32_t, std::shared_ptr<card_model::Card>> opened;
    auto &found = opened[number];
    if (!found) {
        auto made = std::make_shared<card_model::Card>(card_model::Kind{"vfpga of shellgen rehearse", kAhead, 0});
        made->load("vfpga_" + std::to_string(number));
        found = made;
    }
    return found;
}

}  // namespace

cThread::cThread(int32_t vfid, pid_t hpid, uint32_t device, std::function<void(int)>) {
    if (hpid <= 0 || device) throw std::runtime_error("ERROR: cThread instance could not be obtained, vfid: " + std::to_string(vfid));
    card_ = vfpga(vfid);
}

// There are no huge pages, so that no rehearsal needs them.
void *cThread::getMem(CoyoteAlloc &&alloc) {
    if (alloc.alloc == CoyoteAllocType::HPF) {
        if (alloc.size % kHuge) throw std::runtime_error("memory is not asked for in whole pages");
        alloc.alloc = CoyoteAllocType::REG;
    }
    std::shared_ptr<void> made(std::aligned_alloc(4096, alloc.size), &std::free);
    auto *at = static_cast<std::uint8_t *>(made.get());
    memory_.emplace(at, std::pair{made, alloc.size});
    return at;
}

void cThread::setCSR(uint64_t val, uint32_t offs) { card_->access("", true, 8 * offs, static_cast<uint32_t>(val)); }

uint64_t cThread::getCSR(uint32_t offs) const { return card_->access("", false, 8 * offs, 0); }

// No memory is modelled that a core reaches by itself: `shellgen rehearse` takes no such cluster.
void cThread::invoke(CoyoteOper, syncSg) { throw std::runtime_error("a move to the card, which has no memory"); }

void cThread::invoke(CoyoteOper oper, localSg sg, bool last) {
    auto *at = static_cast<std::uint8_t *>(sg.addr);
    auto found = memory_.upper_bound(at);
    if (found == memory_.begin() || at + sg.len > std::prev(found)->first + std::prev(found)->second.second)
        throw std::runtime_error("a transfer outside of the thread's memory");
    if (sg.len > kMost || sg.stream != STRM_HOST || !last) throw std::runtime_error("a transfer that nobody makes");
    auto run = std::make_shared<card_model::Run>();
    run->owner = std::prev(found)->second.first;
    run->data = at;
    run->bytes = sg.len;
    card_->start((oper == CoyoteOper::LOCAL_READ ? "in" : "out") + std::to_string(sg.dest), run);
    begun_[oper].runs.push_back(run);
}

uint32_t cThread::checkCompleted(CoyoteOper oper) const {
    auto &[runs, done] = begun_[oper];
    for (; !runs.empty() && card_->state(*runs.front()) == card_model::Run::State::Done; ++done) runs.pop_front();
    return done;
}

}  // namespace coyote
