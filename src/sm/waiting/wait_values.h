// SPDX-License-Identifier: MIT
// How the registers of a warp in a wait loop change from one period to the next.
//
// The claim: at the start of period j, counted from one that was watched, each register that the
// loop writes holds v + j * d, by lane and modulo its width, and each instruction has the active
// lanes that it had in the watched period. The proof, by induction: values at the starts of two
// periods give v and d; the watched period is executed with changes beside values
// (wait_values_step), each operation deriving the change of its result from those of its operands;
// where it holds only as long as an operand does not wrap, or a comparison has the same outcome, it
// lowers the limit on j; at the end the changes must be d again, and the values v + d
// (wait_values_hold).
#ifndef SM_WAITING_WAIT_VALUES_H
#define SM_WAITING_WAIT_VALUES_H

#include "exec/execute.h"
#include "sm/waiting/wait_loops.h"

// Of one warp, in the layout of its current frame. Zero: nothing is known.
typedef struct WaitValues {
  uint8_t *values;   // at the start of the period
  uint8_t *changes;  // from one period to the next, at the start
  uint8_t *current;  // ... as far as the period has been executed
  uint32_t bytes, capacity;
} WaitValues;

// What all warps of an SM have in common.
typedef struct WaitTime {
  uint64_t cycles;       // of a period
  uint64_t nanoseconds;  // the same on %globaltimer; only if they are whole
  uint64_t limit;        // periods after the watched one of which the claim holds
  bool is_unknown;       // an operation was met whose result cannot be derived
} WaitTime;

// A first period begins.
void wait_values_note(WaitValues *values, const Warp *warp);
// It has ended; the watched one begins.
void wait_values_begin(WaitValues *values, const Warp *warp, const WaitLoop *loop);
// The warp is about to execute its next instruction in the watched period.
void wait_values_step(WaitValues *values, const Warp *warp, const ExecContext *context,
                      WaitTime *time);
// The watched period has ended: whether the claim is proven.
bool wait_values_hold(const WaitValues *values, const Warp *warp, const WaitLoop *loop);
// Lets periods pass.
void wait_values_pass(const WaitValues *values, const Warp *warp, const WaitLoop *loop,
                      uint64_t periods);
void wait_values_clear(WaitValues *values);

#endif
