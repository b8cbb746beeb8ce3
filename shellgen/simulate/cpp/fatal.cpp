// SPDX-License-Identifier: BSD-3-Clause
//
// vl_fatal of every Verilator model (VL_USER_FATAL).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

#include "verilated.h"
#include "verilated_funcs.h"

// What vl_fatal of Verilator does, except that flushing has an end: where the file of the waves cannot be written, the
// writer calls this with its own lock held, and the flush would wait for that lock for ever.
void vl_fatal(const char* file, int line, const char* /*hier*/, const char* text) {
    Verilated::threadContextp()->gotError(true);
    Verilated::threadContextp()->gotFinish(true);
    if (file && file[0]) VL_PRINTF("%%Error: %s:%d: %s\n", file, line, text);
    else VL_PRINTF("%%Error: %s\n", text);
    std::promise<void> flushed;
    std::thread([&flushed] {
        Verilated::runFlushCallbacks();
        flushed.set_value();
    }).detach();
    if (flushed.get_future().wait_for(std::chrono::seconds(5)) != std::future_status::ready) {
        std::fflush(nullptr);
        std::_Exit(1);
    }
    Verilated::runExitCallbacks();
    std::exit(1);
}
