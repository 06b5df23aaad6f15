// SPDX-License-Identifier: MIT
// Loops that wait for a time: they read the clock or sleep, compute on registers, and branch back.
// They access no memory, call nothing and have no other effect, so that all they do to the machine
// is to keep it busy. Found once, when a program is loaded.
//
//   L: mov.u64  t, %clock64          WAIT_SPECIAL
//      sub.s64  d, t, start          WAIT_SUM
//      setp.lt.s64  p, d, cycles     WAIT_COMPARE
//      @p bra  L                     WAIT_BRANCH
#ifndef SM_WAITING_WAIT_LOOPS_H
#define SM_WAITING_WAIT_LOOPS_H

#include "isa/program.h"

// How the result of an instruction follows from its operands, where these grow by constant amounts
// from one period to the next (wait_values.h).
typedef enum WaitOp {
  WAIT_OTHER,    // part of no such loop
  WAIT_STEP,     // only takes time: its result is read by nothing, or by such a step
  WAIT_COPY,     // mov
  WAIT_SPECIAL,  // mov of a special register
  WAIT_SUM,      // add, sub, the sum of three
  WAIT_PRODUCT,  // mul.lo, mad.lo, shl: one factor must not change
  WAIT_CONVERT,  // between integers of 32 and 64 bits
  WAIT_PACK,     // mov between a 64-bit register and its halves
  WAIT_UNPACK,
  WAIT_COMPARE,  // setp of integers of 32 and 64 bits
  WAIT_SELECT,   // selp
  WAIT_FIXED,    // another: its operands must not change
  WAIT_BRANCH,
} WaitOp;

WaitOp wait_op(const Instruction *in);
// The form that says what the instruction computes.
const Form *wait_form(const Instruction *in);
// Bytes of a lane of its destination; 0: a predicate.
uint32_t wait_bytes(const Instruction *in);

// A register that a loop writes, 4 or 8 bytes per lane.
typedef struct WaitPlace {
  Place place;
  uint32_t bytes;
} WaitPlace;

// Instructions first to last. Loops that overlap are one.
typedef struct WaitLoop {
  uint32_t first, last;
  bool reads_timer;     // %globaltimer
  uint16_t *registers;  // ids of all that it reads or writes
  uint32_t register_count;
  WaitPlace *places;  // that it writes, but for predicates and results of steps
  uint32_t place_count;
} WaitLoop;

typedef struct WaitLoops {
  WaitLoop *loops;  // in the order of the code
  uint32_t count, capacity;
} WaitLoops;

void wait_loops_find(WaitLoops *loops, const Program *program);
void wait_loops_clear(WaitLoops *loops);
// The loop that contains pc, or NULL.
const WaitLoop *wait_loops_at(const WaitLoops *loops, uint32_t pc);

#endif
