// SPDX-License-Identifier: MIT
// Removes branches to branches, branches to the next instruction, and pairs of
// branches around each other, which compilers leave behind in the layout of loops.
#include "base/memory.h"
#include "frontends/ptx/optimise/steps.h"

enum { MOST_HOPS = 16, MOST_ROUNDS = 8 };

static bool is_jump(const Instruction *in) {
  return in->form.op == OP_BRA && in->guard == NO_PLACE && !instruction_is_removed(in);
}

static uint32_t skip_removed(const Lowering *lowering, uint32_t index) {
  while (index < lowering->code_count && instruction_is_removed(&lowering->code[index])) index++;
  return index;
}

// Final target of a branch.
static uint32_t destination(const Lowering *lowering, uint32_t target) {
  uint32_t at = skip_removed(lowering, target);
  for (int hops = 0; hops < MOST_HOPS && at < lowering->code_count; hops++) {
    if (!is_jump(&lowering->code[at])) break;
    at = skip_removed(lowering, lowering->code[at].target);
  }
  return at;
}

static bool thread_jumps(Lowering *lowering, uint32_t *arrivals) {
  bool changed = false;
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    Instruction *in = &lowering->code[i];
    if (in->form.op == OP_BRX && !instruction_is_removed(in))
      for (int64_t k = 0; k < in->offset; k++) arrivals[skip_removed(lowering, in->targets[k])]++;
    if (in->form.op != OP_BRA || instruction_is_removed(in)) continue;
    uint32_t to = destination(lowering, in->target);
    if (to >= lowering->code_count) continue;
    changed |= to != in->target;
    in->target = to;
    arrivals[to]++;
  }
  return changed;
}

// @p bra A; bra B; A:  becomes  @!p bra B; A:
static bool invert_pair(Lowering *lowering, uint32_t i, const uint32_t *arrivals) {
  Instruction *in = &lowering->code[i];
  uint32_t next = skip_removed(lowering, i + 1);
  if (in->guard == NO_PLACE || next >= lowering->code_count || arrivals[next]) return false;
  Instruction *jump = &lowering->code[next];
  if (!is_jump(jump) || skip_removed(lowering, next + 1) != in->target) return false;
  in->target = jump->target;
  in->guard_negated = !in->guard_negated;
  instruction_remove(jump);
  return true;
}

// @p bra A; bra B;  becomes  @!p bra B; bra A;  if B is the nearer backward target,
// so that a loop ends in its own back edge.
static bool swap_pair(Lowering *lowering, uint32_t i, const uint32_t *arrivals) {
  Instruction *in = &lowering->code[i];
  uint32_t next = skip_removed(lowering, i + 1);
  if (in->guard == NO_PLACE || next >= lowering->code_count || arrivals[next]) return false;
  Instruction *jump = &lowering->code[next];
  uint32_t a = in->target, b = jump->target;
  if (!is_jump(jump) || b > i || (a <= i && a >= b)) return false;
  in->target = b;
  jump->target = a;
  in->guard_negated = !in->guard_negated;
  return true;
}

static bool clean_round(Lowering *lowering) {
  uint32_t *arrivals = memory_alloc(sizeof *arrivals * (lowering->code_count + 1u));
  bool changed = thread_jumps(lowering, arrivals);
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    Instruction *in = &lowering->code[i];
    if (in->form.op != OP_BRA || instruction_is_removed(in)) continue;
    if (in->target == skip_removed(lowering, i + 1)) {
      instruction_remove(in);
      changed = true;
    } else {
      changed |= invert_pair(lowering, i, arrivals) || swap_pair(lowering, i, arrivals);
    }
  }
  memory_free(arrivals);
  return changed;
}

void branches_clean(Lowering *lowering) {
  for (int round = 0; round < MOST_ROUNDS; round++)
    if (!clean_round(lowering)) break;
  code_squeeze(lowering);
}
