// SPDX-License-Identifier: MIT
// Instructions that ask something of the machine and change no value.
//
//   nanosleep        takes time, which is the machine's business
//   pmevent          counts in counters that no program reads
//   griddepcontrol   a grid here begins when what it depends on has ended
//   setmaxnreg       registers are not scarce without a machine
#include "isa/execute.h"

static void exec_nothing(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  (void)warp;
  (void)in;
  (void)mask;
}

ExecFn exec_find_system(const Form *form) {
  switch (form->op) {
    case OP_NANOSLEEP:
    case OP_PMEVENT:
    case OP_GRIDDEPCONTROL:
    case OP_SETMAXNREG: return exec_nothing;
    default: return NULL;
  }
}
