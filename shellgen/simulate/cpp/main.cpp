// SPDX-License-Identifier: BSD-3-Clause
//
// The main program of every Verilator model under cocotb, in place of the one that cocotb ships: it does
// the same in the same order, but a time slot in which no callback of cocotb is due costs one evaluation
// and one look at the watched signals. Since the clocks are made here and not in Python, that is nearly every slot.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "Vtop.h"
#include "bench_clocks.h"
#include "verilated.h"
#include "verilated_vpi.h"
#include "vpi_user.h"

extern "C" void vlog_startup_routines_bootstrap();

static constexpr uint64_t NEVER = ~uint64_t{0};

// The clocks of the bench, which are known after the first evaluation.
class Clocks {
  public:
    void add(const NodeClock& clock) {
        m_clocks.push_back(clock);
        m_due.push_back(NEVER);
        ++m_resting;
    }

    // Time of the next edge of any, in time steps of the model.
    uint64_t next() const { return m_next; }

    // Start those that rest and are to run; a wait in HDL ends in the same evaluation.
    void start(const VerilatedContext& context) {
        if (!m_resting) return;
        m_ticks = 1;  // a design with a finer precision than that of the clocks has finer time steps
        for (int digit = context.timeprecision(); digit < -12; ++digit) m_ticks *= 10;
        for (std::size_t i = 0; i < m_clocks.size(); ++i) {
            if (!m_clocks[i].rests() || !m_clocks[i].may_start()) continue;
            m_due[i] = m_clocks[i].start(context.time() / m_ticks);
            --m_resting;
        }
        choose();
    }

    // Write all edges of an instant, before anything is evaluated in it.
    void step(const uint64_t now) {
        if (now < m_next) return;
        for (std::size_t i = 0; i < m_clocks.size(); ++i) {
            if (m_due[i] != m_next_ps) continue;
            m_due[i] = m_clocks[i].edge(m_next_ps);
            if (!m_clocks[i].rests()) continue;
            m_due[i] = NEVER;
            ++m_resting;
        }
        choose();
    }

  private:
    void choose() {
        m_next_ps = *std::min_element(m_due.begin(), m_due.end());
        m_next = m_next_ps == NEVER ? NEVER : m_next_ps * m_ticks;
    }

    std::vector<NodeClock> m_clocks;
    std::vector<uint64_t> m_due;  // of each, in picoseconds
    uint64_t m_next_ps = NEVER;
    uint64_t m_next = NEVER;
    uint64_t m_ticks = 1;  // time steps of a picosecond
    std::size_t m_resting = 0;
};

static Clocks clocks;

void node_clock(const ClockPins& pins, const int64_t period_fs, const bool doubled) {
    clocks.add(NodeClock{pins, period_fs, doubled});
}

void bench_clock(uint8_t* const clk, const int half_ps) {
    static constexpr uint16_t INPUTS[ClockPins::INPUTS] = {1};  // it runs, without an offset
    clocks.add(NodeClock{{clk, nullptr, INPUTS}, int64_t{2000} * half_ps, false});
}

static void evaluate(Vtop& top, const VerilatedContext& context) {
    VerilatedVpi::clearEvalNeeded();
    top.eval_step();
    clocks.start(context);
}

// Run the callbacks of changed signals until no callback changes a watched signal any more.
static bool settle() {
    bool any = false;
    while (VerilatedVpi::callValueCbs()) any = true;
    return any;
}

// Finish the present time slot after its first evaluation.
static bool finish_slot(Vtop& top, const VerilatedContext& context) {
    bool any = false;
    while (true) {
        VerilatedVpi::doInertialPuts();
        any |= settle();
        if (!VerilatedVpi::evalNeeded()) {
            any |= VerilatedVpi::callCbs(cbReadWriteSynch);
            VerilatedVpi::doInertialPuts();
            any |= settle();
            if (!VerilatedVpi::evalNeeded()) break;
        }
        evaluate(top, context);
    }
    top.eval_end_step();
    any |= VerilatedVpi::callCbs(cbReadOnlySynch);
    return any;
}

// Callbacks at the start of a time slot, before anything is evaluated in it.
static bool start_slot(bool timer_due) {
    bool any = VerilatedVpi::callCbs(cbNextSimTime);
    any |= settle();
    if (timer_due) VerilatedVpi::callTimedCbs();
    any |= settle();
    return any || timer_due;
}

// One-shot, so it is safe that $fatal and the end of main both come here.
static void end_simulation(void*) { VerilatedVpi::callCbs(cbEndOfSimulation); }

int main(int argc, char** argv) {
    VerilatedContext* const context = Verilated::threadContextp();
    context->commandArgs(argc, argv);
    Vtop top{""};
    context->fatalOnVpiError(false);  // cocotb asks for handles that may not exist
    vlog_startup_routines_bootstrap();
    Verilated::addExitCb(end_simulation, nullptr);
    VerilatedVpi::callCbs(cbStartOfSimulation);
    settle();

    // Callbacks are registered by callbacks only: after a slot without any, none can wait for the next slot
    // but for timers and watched signals.
    bool busy = true;
    while (!context->gotFinish()) {
        evaluate(top, *context);
        const bool changed = VerilatedVpi::callValueCbs();
        if (busy || changed)
            busy = finish_slot(top, *context) || changed;
        else
            top.eval_end_step();  // which writes waves, in a model that can
        const uint64_t timer = VerilatedVpi::cbNextDeadline();
        const uint64_t delay = top.eventsPending() ? top.nextTimeSlot() : NEVER;  // of the design
        const uint64_t next = std::min({timer, delay, clocks.next()});
        if (next == NEVER) break;
        context->time(next);
        if (busy || timer <= next) busy |= start_slot(timer <= next);
        clocks.step(next);
    }
    top.final();
    end_simulation(nullptr);
    return context->errorCount() > 0;
}
