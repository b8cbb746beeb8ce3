// SPDX-License-Identifier: BSD-3-Clause
// What `shellgen rehearse` compiles a core to: a shared library with these functions.
#pragma once

extern "C" {

struct shellgen_pin {
    const char *name;  // as in the core's Verilog; the last entry has none
    void *at;          // little-endian words, bit 0 lowest; unused bits above are 0
    unsigned bits;
};

void *shellgen_core_make();
const shellgen_pin *shellgen_core_pins(void *core);
void shellgen_core_eval(void *core);
void shellgen_core_end(void *core);
}
