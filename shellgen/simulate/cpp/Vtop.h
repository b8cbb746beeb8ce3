// SPDX-License-Identifier: BSD-3-Clause
//
// What cocotb's main program for Verilator sees instead of the header of one model. With this it is
// compiled once per machine; model_glue.h, compiled with each model, fills it in.
#ifndef SHELLGEN_VTOP_H
#define SHELLGEN_VTOP_H

#include <cstdint>

class Vtop {
  public:
    explicit Vtop(const char* name);
    ~Vtop();
    void eval_step();
    void eval_end_step();
    bool eventsPending();
    uint64_t nextTimeSlot();
    void final();

  private:
    void* m_model;
};

#endif
