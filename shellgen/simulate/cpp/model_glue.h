// SPDX-License-Identifier: BSD-3-Clause
//
// Joins one model (class Vmodel, Verilator's prefix of it) to the fixed class that cocotb's main sees.
#include "Vmodel.h"
#include "Vtop.h"

static inline Vmodel* model_of(void* model) { return static_cast<Vmodel*>(model); }

static Vmodel* new_model(const char* name) {
#if VM_TRACE
    Verilated::traceEverOn(true);  // before the model is made, or $dumpvars refuses
#endif
    return new Vmodel{name};
}

Vtop::Vtop(const char* name) : m_model{new_model(name)} {}
Vtop::~Vtop() { delete model_of(m_model); }
void Vtop::eval_step() { model_of(m_model)->eval_step(); }
void Vtop::eval_end_step() { model_of(m_model)->eval_end_step(); }
bool Vtop::eventsPending() { return model_of(m_model)->eventsPending(); }
uint64_t Vtop::nextTimeSlot() { return model_of(m_model)->nextTimeSlot(); }
void Vtop::final() { model_of(m_model)->final(); }
