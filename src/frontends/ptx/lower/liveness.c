// SPDX-License-Identifier: MIT
// Liveness of the virtual registers of a function.
#include "frontends/ptx/lower/liveness.h"

#include <string.h>

#include "base/memory.h"

// A guarded instruction leaves its destinations unchanged in some lanes, so it does not kill the
// old value. is_cover marks writes of the optimising pass that together cover all lanes.
static bool keeps_old(const Instruction *in) {
  return in->guard != NO_PLACE && !in->is_cover;
}

static void visit_call(const CallSite *site, PlaceFn visit, void *state) {
  for (uint32_t i = 0; i < site->arg_count; i++)
    if (site->args[i].place >= 0) visit(state, &site->args[i].place, PLACE_READ);
  for (uint32_t i = 0; i < site->result_count; i++)
    if (site->results[i].place >= 0) visit(state, &site->results[i].place, PLACE_WRITTEN);
}

// The only place that enumerates the reads and writes of an instruction. The guard comes first,
// which registers.c relies on. Temporaries hold special registers during the instruction.
void instruction_each_place(Instruction *in, const Function *function, PlaceFn visit, void *state) {
  for (int i = 0; i < MAX_SPECIALS; i++)
    if (in->special_place[i] >= 0) visit(state, &in->special_place[i], PLACE_TEMPORARY);
  if (in->guard >= 0) visit(state, &in->guard, PLACE_READ);
  for (int i = 0; i < MAX_SOURCES; i++)
    if (in->src[i] >= 0) visit(state, &in->src[i], PLACE_READ);
  for (uint32_t i = 0; in->list && i < in->list->src_count; i++)
    if (in->list->src[i] >= 0) visit(state, &in->list->src[i], PLACE_READ);
  if (in->call) visit_call(in->call, visit, state);
  for (int i = 0; i < MAX_DESTINATIONS; i++)
    if (in->dst[i] >= 0) visit(state, &in->dst[i], PLACE_WRITTEN);
  for (uint32_t i = 0; in->list && i < in->list->dst_count; i++)
    if (in->list->dst[i] >= 0) visit(state, &in->list->dst[i], PLACE_WRITTEN);
  // A return reads the results held in registers.
  for (uint32_t i = 0; in->form.op == OP_RET && i < function->result_count; i++)
    if (function->results[i].place >= 0) {
      Place place = function->results[i].place;
      visit(state, &place, PLACE_READ);
    }
}

// ---- Live sets at block boundaries. Only registers that some block reads
// before writing (upward-exposed uses) can be live there; they are numbered.

typedef struct Borders {
  const Lowering *lowering;
  const Flow *flow;
  uint32_t *index;      // by register: its number; NONE = not live at any boundary
  uint32_t *registers;  // the numbered registers
  uint32_t count, words;
  uint64_t *reads, *writes, *live_in, *live_out;  // by block
  uint32_t *seen;                                 // by register: last block that wrote it, + 1
  uint32_t block;
  bool is_guarded;
} Borders;

#define NONE UINT32_MAX
// Limit for each of the four sets; larger functions are rejected, as they would take minutes.
enum { MAX_SET_BYTES = 64 << 20 };

static void number_exposed(void *state, Place *place, PlaceUse use) {
  Borders *borders = state;
  uint32_t v = (uint32_t)*place;
  if (use == PLACE_READ && borders->seen[v] != borders->block + 1 && borders->index[v] == NONE) {
    borders->index[v] = borders->count;
    borders->registers[borders->count++] = v;
  }
  if (use == PLACE_TEMPORARY || (use == PLACE_WRITTEN && !borders->is_guarded))
    borders->seen[v] = borders->block + 1;
}

static void each_instruction(Borders *borders, PlaceFn visit) {
  const Flow *flow = borders->flow;
  const Lowering *lowering = borders->lowering;
  for (borders->block = 0; borders->block < flow->block_count; borders->block++)
    for (uint32_t i = flow->blocks[borders->block].first; i < flow->blocks[borders->block].end;
         i++) {
      borders->is_guarded = keeps_old(&lowering->code[i]);
      instruction_each_place(&lowering->code[i], lowering->linked, visit, borders);
    }
}

static uint64_t *set_of(const Borders *borders, uint64_t *sets, uint32_t block) {
  return sets + (size_t)block * borders->words;
}

static void note_block(void *state, Place *place, PlaceUse use) {
  Borders *borders = state;
  uint32_t index = borders->index[*place];
  if (index == NONE || use == PLACE_TEMPORARY) return;
  uint64_t *writes = set_of(borders, borders->writes, borders->block);
  uint64_t bit = UINT64_C(1) << index % 64;
  if (use == PLACE_READ) {
    if (!(writes[index / 64] & bit))
      set_of(borders, borders->reads, borders->block)[index / 64] |= bit;
  } else if (!borders->is_guarded) {
    writes[index / 64] |= bit;
  }
}

static bool update_block(Borders *borders, uint32_t b) {
  const FlowBlock *block = &borders->flow->blocks[b];
  uint64_t *in = set_of(borders, borders->live_in, b), *out = set_of(borders, borders->live_out, b);
  const uint64_t *reads = set_of(borders, borders->reads, b);
  const uint64_t *writes = set_of(borders, borders->writes, b);
  for (uint32_t i = 0; i < block->successor_count; i++) {
    uint32_t successor = borders->flow->edges[block->successors + i];
    if (successor == borders->flow->block_count) continue;
    const uint64_t *theirs = set_of(borders, borders->live_in, successor);
    for (uint32_t w = 0; w < borders->words; w++) out[w] |= theirs[w];
  }
  bool changed = false;
  for (uint32_t w = 0; w < borders->words; w++) {
    uint64_t live = reads[w] | (out[w] & ~writes[w]);
    changed |= live != in[w];
    in[w] = live;
  }
  return changed;
}

// Returns false if the sets of the function exceed MAX_SET_BYTES.
// Backward data flow to a fixed point, from the last block to the first, so that acyclic code
// takes one iteration.
static bool borders_solve(Borders *borders, const Lowering *lowering, const Flow *flow) {
  uint32_t registers = lowering->register_count;
  *borders = (Borders){.lowering = lowering, .flow = flow};
  borders->index = memory_alloc(sizeof(uint32_t) * (registers + 1));
  borders->registers = memory_alloc(sizeof(uint32_t) * (registers + 1));
  borders->seen = memory_alloc(sizeof(uint32_t) * (registers + 1));
  for (uint32_t v = 0; v < registers; v++) borders->index[v] = NONE;
  each_instruction(borders, number_exposed);
  borders->words = (borders->count + 63) / 64;
  size_t size = sizeof(uint64_t) * borders->words * flow->block_count;
  if (size > MAX_SET_BYTES) return false;
  borders->reads = memory_alloc(size);
  borders->writes = memory_alloc(size);
  borders->live_in = memory_alloc(size);
  borders->live_out = memory_alloc(size);
  each_instruction(borders, note_block);
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t b = flow->block_count; b-- > 0;) changed |= update_block(borders, b);
  }
  return true;
}

static void borders_clear(Borders *borders) {
  memory_free(borders->index);
  memory_free(borders->registers);
  memory_free(borders->seen);
  memory_free(borders->reads);
  memory_free(borders->writes);
  memory_free(borders->live_in);
  memory_free(borders->live_out);
}

// ---- Intervals and register pressure, traversing each block backwards.

typedef struct Walk {
  Liveness *liveness;
  const Lowering *lowering;
  bool *live;
  uint32_t pressure;
  uint32_t position;  // index of the instruction
  uint32_t moment;    // current program point
  bool is_guarded;
  StretchFn visit;  // or NULL
  void *state;
  uint32_t *until;  // with visit, by live register: its last program point
} Walk;

static uint32_t units_of(const Lowering *lowering, uint32_t v) {
  DataType type = lowering->register_types[v];
  if (type == TYPE_PRED) return 0;
  return type_bits(type) == 64 ? 2 : 1;
}

static void extend(Liveness *liveness, uint32_t v, uint32_t begin, uint32_t end) {
  LiveInterval *interval = &liveness->intervals[v];
  if (begin < interval->begin) interval->begin = begin;
  if (end > interval->end) interval->end = end;
}

static void set_live(Walk *walk, uint32_t v, bool live) {
  if (walk->live[v] == live) return;
  walk->live[v] = live;
  if (walk->visit && live) walk->until[v] = walk->moment;
  if (walk->visit && !live) walk->visit(walk->state, v, walk->moment, walk->until[v]);
  uint32_t units = units_of(walk->lowering, v);
  walk->pressure = live ? walk->pressure + units : walk->pressure - units;
}

static void note_pressure(Walk *walk) {
  if (walk->pressure > walk->liveness->most_live) walk->liveness->most_live = walk->pressure;
}

// Destinations first: their values become live here.
static void end_writes(void *state, Place *place, PlaceUse use) {
  Walk *walk = state;
  uint32_t v = (uint32_t)*place;
  extend(walk->liveness, v, 2 * walk->position, 2 * walk->position + 1);
  if (use != PLACE_WRITTEN) return;
  walk->moment = 2 * walk->position + 1;
  set_live(walk, v, true);
  note_pressure(walk);
  if (!walk->is_guarded) set_live(walk, v, false);
}

static void begin_reads(void *state, Place *place, PlaceUse use) {
  Walk *walk = state;
  if (use == PLACE_READ) set_live(walk, (uint32_t)*place, true);
}

static void drop_temporaries(void *state, Place *place, PlaceUse use) {
  if (use == PLACE_TEMPORARY) set_live(state, (uint32_t)*place, false);
}

static void end_life(void *state, Place *place, PlaceUse use) {
  (void)use;
  set_live(state, (uint32_t)*place, false);
}

// A guarded write whose result is unused keeps the previous value live although no boundary set
// contains the register: its stretch ends with the block.
static void end_kept(Walk *walk, const FlowBlock *block) {
  const Lowering *lowering = walk->lowering;
  for (uint32_t i = block->first; i < block->end; i++)
    if (keeps_old(&lowering->code[i]))
      instruction_each_place(&lowering->code[i], lowering->linked, end_life, walk);
}

// Instruction i reads at point 2i and writes at 2i + 1. A destination could therefore share the
// place of a source at its last use, but see registers.c.
static void walk_block(Walk *walk, const Borders *borders, uint32_t b) {
  const FlowBlock *block = &borders->flow->blocks[b];
  const uint64_t *out = borders->live_out + (size_t)b * borders->words;
  const uint64_t *in = borders->live_in + (size_t)b * borders->words;
  for (uint32_t i = 0; i < borders->count; i++) {
    uint32_t v = borders->registers[i];
    walk->moment = 2 * block->end - 1;
    bool is_out = out[i / 64] >> i % 64 & 1, is_in = in[i / 64] >> i % 64 & 1;
    set_live(walk, v, is_out);
    if (is_out) extend(walk->liveness, v, 2 * block->end - 1, 2 * block->end - 1);
    if (is_in) extend(walk->liveness, v, 2 * block->first, 2 * block->first);
  }
  note_pressure(walk);
  for (uint32_t i = block->end; i-- > block->first;) {
    Instruction *instruction = &walk->lowering->code[i];
    walk->position = i;
    walk->is_guarded = keeps_old(instruction);
    const Function *function = walk->lowering->linked;
    instruction_each_place(instruction, function, end_writes, walk);
    if (instruction->call && walk->pressure > walk->liveness->live_at_calls)
      walk->liveness->live_at_calls = walk->pressure;
    walk->moment = 2 * i;
    instruction_each_place(instruction, function, begin_reads, walk);
    note_pressure(walk);
    instruction_each_place(instruction, function, drop_temporaries, walk);
  }
  // The remaining registers are live-in; they must not leak into the next
  // block to be traversed.
  walk->moment = 2 * block->first;
  for (uint32_t i = 0; i < borders->count; i++) set_live(walk, borders->registers[i], false);
  if (walk->visit) end_kept(walk, block);
}

static bool walk_all(Walk *walk, const Lowering *lowering, const Flow *flow) {
  Borders borders;
  bool fits = borders_solve(&borders, lowering, flow);
  walk->live = memory_alloc(lowering->register_count + 1);
  for (uint32_t b = 0; fits && b < flow->block_count; b++) walk_block(walk, &borders, b);
  memory_free(walk->live);
  borders_clear(&borders);
  return fits;
}

bool liveness_compute(Liveness *liveness, const Lowering *lowering, const Flow *flow) {
  *liveness = (Liveness){0};
  liveness->intervals = memory_alloc(sizeof(LiveInterval) * (lowering->register_count + 1));
  for (uint32_t v = 0; v < lowering->register_count; v++)
    liveness->intervals[v] = (LiveInterval){UINT32_MAX, 0};
  return walk_all(&(Walk){.liveness = liveness, .lowering = lowering}, lowering, flow);
}

bool liveness_each_stretch(const Lowering *lowering, const Flow *flow, StretchFn visit,
                           void *state) {
  Liveness liveness = {.intervals =
                           memory_alloc(sizeof(LiveInterval) * (lowering->register_count + 1))};
  Walk walk = {.liveness = &liveness,
               .lowering = lowering,
               .visit = visit,
               .state = state,
               .until = memory_alloc(sizeof(uint32_t) * (lowering->register_count + 1))};
  bool fits = walk_all(&walk, lowering, flow);
  memory_free(walk.until);
  liveness_clear(&liveness);
  return fits;
}

void liveness_clear(Liveness *liveness) {
  memory_free(liveness->intervals);
}

int life_by_begin(const void *a, const void *b) {
  const LifeOrder *x = a, *y = b;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  return x->v < y->v ? -1 : x->v > y->v;
}
