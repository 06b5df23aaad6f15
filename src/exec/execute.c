// SPDX-License-Identifier: MIT
// Dispatches one instruction of a warp to the function that executes it.
#include "exec/execute.h"

#include <string.h>

#include "exec/replay.h"

ExecFn exec_find(const Form *form) {
  switch (opcode_info[form->op].family) {
    case FAMILY_ARITHMETIC: return exec_find_arithmetic(form);
    case FAMILY_VIDEO: return exec_find_video(form);
    case FAMILY_COMPARE: return exec_find_compare(form);
    case FAMILY_CONVERT: return exec_find_convert(form);
    case FAMILY_MOVE: return NULL;  // the loader chooses among exec_mov_*
    case FAMILY_MEMORY: return exec_find_memory(form);
    case FAMILY_ATOMIC: return exec_find_atomic(form);
    case FAMILY_TEXTURE: return exec_find_texture(form);
    case FAMILY_CONTROL: return exec_find_control(form);
    case FAMILY_BARRIER: return exec_find_barrier(form);
    case FAMILY_LANE: return exec_find_lane(form);
    case FAMILY_MATRIX: return exec_find_matrix(form);
    case FAMILY_SYSTEM: return exec_find_system(form);
  }
  return NULL;
}

void exec_forget_allocations(ExecContext *context) {
  memset(&context->last_allocation, 0, sizeof context->last_allocation);
}

// Special registers that are operands of instructions other than mov are copied to hidden
// registers first. Only in active lanes: in the others, on another path, the place may
// hold a live register.
static void read_special(const ExecContext *context, const Warp *warp, SpecialRegister special,
                         uint8_t *to, uint32_t mask) {
  size_t lane_bytes = (size_t)special_bits(special) / 8;
  uint64_t lanes[WARP_LANES];
  special_read(context, warp, special, lanes);
  for (; mask; mask &= mask - 1) {
    size_t at = (size_t)__builtin_ctz(mask) * lane_bytes;
    memcpy(to + at, (const uint8_t *)lanes + at, lane_bytes);
  }
}

// Rare, and its room for lanes would make every step's frame large.
static __attribute__((noinline)) void read_specials(const ExecContext *context, const Warp *warp,
                                                    const Instruction *in, uint32_t mask) {
  for (int i = 0; i < MAX_SPECIALS && in->special[i]; i++)
    read_special(context, warp, in->special[i], place_at(warp, in->special_place[i]), mask);
}

void exec_real(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  Instruction real = *in;
  real.exec = in->real->exec;
  real.form = in->real->form;
  real.exec(context, warp, &real, mask);
}

const Instruction *warp_step(ExecContext *context, Warp *warp, uint32_t *active) {
  if (__builtin_expect(warp->replay != NULL, 0)) return replay_step(context, warp, active);
  SimtEntry *top = warp_top(warp);
  const Instruction *in = &warp->code[top->pc];
  uint32_t mask = top->mask;
  if (in->guard != NO_PLACE) {
    uint32_t guard = *predicate_at(warp, in->guard);
    mask &= in->guard_negated ? ~guard : guard;
  }
  *active = mask;
  context->access.mask = 0;
  warp->instructions++;
  warp->thread_instructions += (uint64_t)__builtin_popcount(mask);
  top->pc++;
  if (mask) {
    if (in->special[0] && in->exec != exec_mov_special) read_specials(context, warp, in, mask);
    in->exec(context, warp, in, mask);
  }
  // Falling through to the meeting point ends a path as jumping there does.
  if (warp->stack_depth) {
    top = warp_top(warp);
    if (top->pc == top->reconverge) warp_settle(warp);
  }
  return in;
}
