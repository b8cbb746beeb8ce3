// SPDX-License-Identifier: BSD-3-Clause
//
// The main program of every Verilator model under cocotb, in place of the one that cocotb ships: it does
// the same in the same order, but a time slot in which no callback of cocotb is due costs one evaluation
// and one look at the watched signals. With the clock in HDL that is nearly every slot.
#include <algorithm>
#include <cstdint>

#include "Vtop.h"
#include "verilated.h"
#include "verilated_vpi.h"
#include "vpi_user.h"

extern "C" void vlog_startup_routines_bootstrap();

static constexpr uint64_t NEVER = ~uint64_t{0};

// Run the callbacks of changed signals until no callback changes a watched signal any more.
static bool settle() {
    bool any = false;
    while (VerilatedVpi::callValueCbs()) any = true;
    return any;
}

// Finish the present time slot after its first evaluation.
static bool finish_slot(Vtop& top) {
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
        VerilatedVpi::clearEvalNeeded();
        top.eval_step();
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
        VerilatedVpi::clearEvalNeeded();
        top.eval_step();
        const bool changed = VerilatedVpi::callValueCbs();
        if (busy || changed)
            busy = finish_slot(top) || changed;
        else
            top.eval_end_step();  // which writes waves, in a model that can
        const uint64_t timer = VerilatedVpi::cbNextDeadline();
        const uint64_t next = std::min(timer, top.eventsPending() ? top.nextTimeSlot() : NEVER);
        if (next == NEVER) break;
        context->time(next);
        if (busy || timer <= next) busy |= start_slot(timer <= next);
    }
    top.final();
    end_simulation(nullptr);
    return context->errorCount() > 0;
}
