// SPDX-License-Identifier: MIT
// If-conversion as in ptxas: a short branch around a few instructions becomes a guard
// on each. Instructions without side effects whose results are only used among them
// are not guarded. Nor are, in loops, loads of global memory that a store among them waits for,
// on GPUs before 9.0 (isa/compiler.c): the branch stays.
#include "base/memory.h"
#include "frontends/ptx/optimise/alias.h"
#include "frontends/ptx/optimise/mentions.h"
#include "frontends/ptx/optimise/steps.h"

enum { LONGEST_BODY = 7 };

typedef struct Guarding {
  Lowering *lowering;
  const CompilerRules *rules;
  Flow flow;
  bool *is_local;      // by register
  bool *is_loaded;     // by register: from global memory in the body, or computed of what was
  bool *is_in_loop;    // by instruction
  uint32_t *arrivals;  // by block: number of branches to it
  bool writes_guard, is_all_local, reads_loaded;
  Place guard;
} Guarding;

static void count_arrivals(Guarding *guarding) {
  const Lowering *lowering = guarding->lowering;
  const Flow *flow = &guarding->flow;
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    const Instruction *in = &lowering->code[i];
    if (in->form.op == OP_BRA) guarding->arrivals[flow->block_of[in->target]]++;
    for (int64_t k = 0; in->form.op == OP_BRX && k < in->offset; k++)
      guarding->arrivals[flow->block_of[in->targets[k]]]++;
  }
}

// ---- loops

// From the target of a branch back to the branch; what such ranges have in common is walked over
// once, as they are found by falling end.
static void find_loops(Guarding *guarding) {
  const Lowering *lowering = guarding->lowering;
  uint32_t first = lowering->code_count;  // of the loops that end further on
  for (uint32_t i = lowering->code_count; i-- > 0;) {
    const Instruction *in = &lowering->code[i];
    if (in->form.op == OP_BRA && in->target <= i && in->target < first) first = in->target;
    guarding->is_in_loop[i] = first <= i;
    if (first == i) first = lowering->code_count;
  }
}

static void note_loaded(void *state, Place *place, PlaceUse use) {
  Guarding *guarding = state;
  if (use == PLACE_READ) guarding->reads_loaded |= guarding->is_loaded[*place];
}

static void mark_loaded(void *state, Place *place, PlaceUse use) {
  Guarding *guarding = state;
  if (use != PLACE_READ) guarding->is_loaded[*place] = true;
}

static void forget_loaded(void *state, Place *place, PlaceUse use) {
  (void)use;
  ((Guarding *)state)->is_loaded[*place] = false;
}

static bool loads_global(const Instruction *in) {
  return in->form.op == OP_LD &&
         (in->form.space == SPACE_GLOBAL || in->form.space == SPACE_GENERIC);
}

// Whether a store of the body needs what the body loads from global memory.
static bool stores_loaded(Guarding *guarding, const FlowBlock *body) {
  const Lowering *lowering = guarding->lowering;
  bool found = false;
  for (uint32_t i = body->first; i < body->end; i++) {
    Instruction *in = &lowering->code[i];
    guarding->reads_loaded = loads_global(in);
    instruction_each_place(in, lowering->linked, note_loaded, guarding);
    if (!guarding->reads_loaded) continue;
    instruction_each_place(in, lowering->linked, mark_loaded, guarding);
    found |= in->form.op == OP_ST;
  }
  for (uint32_t i = body->first; i < body->end; i++)
    instruction_each_place(&lowering->code[i], lowering->linked, forget_loaded, guarding);
  return found;
}

// ---- which branches

static void note_guard(void *state, Place *place, PlaceUse use) {
  Guarding *guarding = state;
  guarding->writes_guard |= use != PLACE_READ && *place == guarding->guard;
}

static bool can_be_guarded(Guarding *guarding, Instruction *in) {
  guarding->writes_guard = false;
  instruction_each_place(in, guarding->lowering->linked, note_guard, guarding);
  return in->guard == NO_PLACE && !access_is_fenced(in) && !instruction_uses_carry(in) &&
         !instruction_reads_clock(in) && !in->list && in->special_place[0] == NO_PLACE &&
         !guarding->writes_guard;
}

// Whether block b ends in a branch around block b + 1, which has no other predecessor.
static bool is_short_branch(Guarding *guarding, uint32_t b) {
  const Flow *flow = &guarding->flow;
  Instruction *code = guarding->lowering->code;
  const Instruction *branch = &code[flow->blocks[b].end - 1];
  if (b + 2 >= flow->block_count || branch->form.op != OP_BRA || branch->guard == NO_PLACE)
    return false;
  const FlowBlock *body = &flow->blocks[b + 1];
  if (branch->target != body->end || guarding->arrivals[b + 1] ||
      body->end - body->first > LONGEST_BODY)
    return false;
  // Threads that have finished exit.
  Opcode next = (Opcode)code[body->end].form.op;
  if (next == OP_RET || next == OP_EXIT) return false;
  guarding->guard = branch->guard;
  for (uint32_t i = body->first; i < body->end; i++)
    if (!can_be_guarded(guarding, &code[i])) return false;
  return !guarding->rules->branches_in_loops || !guarding->is_in_loop[body->first] ||
         !stores_loaded(guarding, body);
}

static void note_written(void *state, Place *place, PlaceUse use) {
  Guarding *guarding = state;
  if (use != PLACE_READ) guarding->is_all_local &= guarding->is_local[*place];
}

static void guard_body(Guarding *guarding, uint32_t b) {
  const Lowering *lowering = guarding->lowering;
  Instruction *branch = &lowering->code[guarding->flow.blocks[b].end - 1];
  const FlowBlock *body = &guarding->flow.blocks[b + 1];
  for (uint32_t i = body->first; i < body->end; i++) {
    Instruction *in = &lowering->code[i];
    guarding->is_all_local = true;
    instruction_each_place(in, lowering->linked, note_written, guarding);
    if (guarding->is_all_local && instruction_is_pure(in, lowering->linked)) continue;
    in->guard = branch->guard;
    in->guard_negated = !branch->guard_negated;
    in->is_cover = guarding->is_all_local;
  }
  instruction_remove(branch);
}

void branches_guard(Lowering *lowering, const CompilerRules *rules) {
  Guarding guarding = {.lowering = lowering,
                       .rules = rules,
                       .is_loaded = memory_alloc(lowering->register_count + 1u),
                       .is_in_loop = memory_alloc(lowering->code_count + 1u)};
  flow_build(&guarding.flow, lowering->code, lowering->code_count);
  guarding.arrivals = memory_alloc(sizeof(uint32_t) * (guarding.flow.block_count + 1u));
  guarding.is_local = locals_find(lowering, &guarding.flow);
  count_arrivals(&guarding);
  find_loops(&guarding);
  for (uint32_t b = 0; b + 1 < guarding.flow.block_count; b++)
    if (is_short_branch(&guarding, b)) guard_body(&guarding, b++);
  flow_clear(&guarding.flow);
  memory_free(guarding.is_local);
  memory_free(guarding.is_loaded);
  memory_free(guarding.is_in_loop);
  memory_free(guarding.arrivals);
  code_squeeze(lowering);
}
