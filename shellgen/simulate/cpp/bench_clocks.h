// SPDX-License-Identifier: BSD-3-Clause
//
// The clocks of sim/bench_clock.sv and sim/node_clock.sv under Verilator, where each edge of a clock in HDL costs a
// coroutine, the queue of times and a further iteration of the evaluation. The main program writes the edges of
// these before it evaluates; they lie on the same picoseconds as those of the HDL, which Icarus runs.
#ifndef SHELLGEN_BENCH_CLOCKS_H
#define SHELLGEN_BENCH_CLOCKS_H

#include <cstdint>

// Signals of an instance: outputs, and what a clock reads at the end of each of its periods.
struct ClockPins {
    enum Input { RUN, PPM, DRIFT, PHASE, INPUTS };
    uint8_t* clk;
    uint8_t* clk2x;
    const uint16_t* inputs;
};

// An instance tells the main program that it is there.
void bench_clock(uint8_t* clk, int half_ps);
void node_clock(const ClockPins& pins, int64_t period_fs, bool doubled);

// A clock of a board, as sim/node_clock.sv explains it.
class NodeClock {
  public:
    NodeClock(const ClockPins& pins, int64_t period_fs, bool doubled)
        : m_pins{pins}, m_period_fs{period_fs}, m_steps{doubled ? 4 : 2}, m_step_ps{period_fs / m_steps / 1000} {}

    bool rests() const { return !m_started; }
    bool may_start() const { return m_pins.inputs[ClockPins::RUN]; }

    // Begin at `now`; returns the time of the first edge. Times are in picoseconds.
    uint64_t start(uint64_t now) {
        m_started = true;
        m_rising = true;
        m_off = 0;
        m_rest_fs = 0;
        m_age = AGE - 1;
        tune();
        return now + m_pins.inputs[ClockPins::PHASE] * (m_period_fs / 256000) + (doubled() ? m_step_ps : 0) + step();
    }

    // Make the edge that is due at `now`; returns the time of the next one, unless the clock rests then.
    uint64_t edge(uint64_t now) {
        m_place = (m_place + 1) & (m_steps - 1);
        if (!doubled()) {
            *m_pins.clk = !*m_pins.clk;
        } else if (m_place % 2) {
            *m_pins.clk = !*m_pins.clk;
            *m_pins.clk2x = 1;
        } else {
            *m_pins.clk2x = 0;
        }
        if (m_place == 0) {
            tune();
            m_started = m_pins.inputs[ClockPins::RUN];
            if (!m_started) return now;
        }
        return now + step();
    }

  private:
    static constexpr int AGE = 256;  // periods between two changes of the offset

    bool doubled() const { return m_steps == 4; }

    void tune() {
        if (++m_age < AGE) return;
        m_age = 0;
        const int reach = m_pins.inputs[ClockPins::DRIFT];
        if (m_off >= reach) m_rising = false;
        if (m_off <= -reach) m_rising = true;
        if (reach) m_off += m_rising ? 1 : -1;
        const int64_t fast = static_cast<int16_t>(m_pins.inputs[ClockPins::PPM]) + m_off;
        m_ahead_fs = (m_period_fs - m_period_fs * fast / 1000000) / m_steps - 1000 * m_step_ps;
    }

    // Picoseconds to the next edge; what is below one is carried on.
    int64_t step() {
        m_rest_fs += m_ahead_fs;
        int64_t more = 0;
        for (; m_rest_fs >= 1000; m_rest_fs -= 1000) ++more;
        for (; m_rest_fs < 0; m_rest_fs += 1000) --more;
        return m_step_ps + more;
    }

    ClockPins m_pins;
    int64_t m_period_fs;
    int m_steps;  // edges of a period
    int64_t m_step_ps;  // from edge to edge, about
    bool m_started = false;
    bool m_rising = true;  // the offset is
    int m_off = 0;  // what drift adds to ppm
    int m_age = 0;  // periods since the offset changed
    int m_place = 0;  // in the period
    int64_t m_ahead_fs = 0;  // by what a step is longer than m_step_ps
    int64_t m_rest_fs = 0;  // what of all steps is left below a picosecond
};

#endif
