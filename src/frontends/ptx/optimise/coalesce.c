// SPDX-License-Identifier: MIT
// Copy coalescing: registers connected by a copy whose live ranges do not overlap
// become one, which removes the movs that compilers place at the ends of loops.
// Registers are renamed; a value may have two definitions afterwards.
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/lower/stretches.h"
#include "frontends/ptx/optimise/simplify.h"
#include "frontends/ptx/optimise/steps.h"

// Registers with more stretches are not coalesced.
enum { MOST_STRETCHES = 4096 };

typedef struct Lives {
  Stretch *all;  // in order
  uint32_t count;
} Lives;

typedef struct Coalescing {
  Lowering *lowering;
  Place *name;   // by register: its representative, or itself
  Lives *lives;  // by representative
  bool *is_fixed;
} Coalescing;

static Place name_of(const Coalescing *coalescing, Place place) {
  while (coalescing->name[place] != place) place = coalescing->name[place];
  return place;
}

static bool are_apart(const Lives *a, const Lives *b) {
  uint32_t i = 0, j = 0;
  while (i < a->count && j < b->count) {
    if (a->all[i].end < b->all[j].begin)
      i++;
    else if (b->all[j].end < a->all[i].begin)
      j++;
    else
      return false;
  }
  return true;
}

static void join(Lives *a, Lives *b) {
  Stretch *all = memory_alloc(sizeof *all * (a->count + b->count + 1u));
  uint32_t i = 0, j = 0, count = 0;
  while (i < a->count || j < b->count) {
    bool from_a = j == b->count || (i < a->count && a->all[i].begin < b->all[j].begin);
    all[count++] = from_a ? a->all[i++] : b->all[j++];
  }
  memory_free(a->all);
  memory_free(b->all);
  *a = (Lives){all, count};
  *b = (Lives){0};
}

// ---- uses of the source after a copy become uses of the copy, so that the source may end there

typedef struct Replacement {
  Place from, to;
  bool is_over;  // source or copy has been written
} Replacement;

static void replace_reads(void *state, Place *place, PlaceUse use) {
  const Replacement *replacement = state;
  if (use == PLACE_READ && *place == replacement->from) *place = replacement->to;
}

static void note_end(void *state, Place *place, PlaceUse use) {
  Replacement *replacement = state;
  if (use == PLACE_READ) return;
  replacement->is_over |= *place == replacement->from || *place == replacement->to;
}

static void read_copy_behind(const Lowering *lowering, const FlowBlock *block, uint32_t index) {
  enum { WINDOW = 64 };
  const Instruction *copy = &lowering->code[index];
  if (!instruction_is_copy(copy) || copy->src[0] < 0) return;
  Replacement replacement = {copy->src[0], copy->dst[0], copy->src[0] == copy->dst[0]};
  uint32_t end = index + WINDOW < block->end ? index + WINDOW : block->end;
  for (uint32_t i = index + 1; i < end && !replacement.is_over; i++) {
    instruction_each_place(&lowering->code[i], lowering->linked, replace_reads, &replacement);
    instruction_each_place(&lowering->code[i], lowering->linked, note_end, &replacement);
  }
}

static void read_copies_behind(const Lowering *lowering, const Flow *flow) {
  for (uint32_t b = 0; b < flow->block_count; b++)
    for (uint32_t i = flow->blocks[b].first; i < flow->blocks[b].end; i++)
      read_copy_behind(lowering, &flow->blocks[b], i);
}

// ---- coalescing

static void try_copy(Coalescing *coalescing, Instruction *in) {
  if (instruction_is_removed(in) || !instruction_is_copy(in) || in->src[0] < 0) return;
  Place to = name_of(coalescing, in->dst[0]), from = name_of(coalescing, in->src[0]);
  const Lowering *lowering = coalescing->lowering;
  if (to == from) {
    instruction_remove(in);
    return;
  }
  bool is_open =
      !coalescing->is_fixed[to] && !coalescing->is_fixed[from] &&
      type_bits(lowering->register_types[to]) == type_bits(lowering->register_types[from]) &&
      (lowering->register_types[to] == TYPE_PRED) == (lowering->register_types[from] == TYPE_PRED);
  Lives *a = &coalescing->lives[to], *b = &coalescing->lives[from];
  if (!is_open || a->count + b->count > MOST_STRETCHES || !are_apart(a, b)) return;
  join(a, b);
  coalescing->name[from] = to;
  instruction_remove(in);
}

static void rename_place(void *state, Place *place, PlaceUse use) {
  (void)use;
  *place = name_of(state, *place);
}

// Parameters and results in registers, and preloaded registers, keep their names.
static void fix_registers(Coalescing *coalescing) {
  const Function *function = coalescing->lowering->linked;
  for (uint32_t i = 0; i < function->param_count; i++)
    if (function->params[i].place >= 0) coalescing->is_fixed[function->params[i].place] = true;
  for (uint32_t i = 0; i < function->result_count; i++)
    if (function->results[i].place >= 0) coalescing->is_fixed[function->results[i].place] = true;
  for (uint32_t i = 0; i < function->preload_count; i++)
    coalescing->is_fixed[function->preloads[i].place] = true;
}

static void take_lives(Coalescing *coalescing, const Stretches *stretches) {
  for (uint32_t v = 0; v < coalescing->lowering->register_count; v++) {
    uint32_t count = stretches->first[v + 1] - stretches->first[v];
    coalescing->name[v] = (Place)v;
    coalescing->lives[v] = (Lives){memory_alloc(sizeof(Stretch) * (count + 1u)), count};
    memcpy(coalescing->lives[v].all, stretches->all + stretches->first[v], sizeof(Stretch) * count);
  }
}

static void coalesce(Coalescing *coalescing) {
  Lowering *lowering = coalescing->lowering;
  for (uint32_t i = 0; i < lowering->code_count; i++) try_copy(coalescing, &lowering->code[i]);
  for (uint32_t i = 0; i < lowering->code_count; i++)
    instruction_each_place(&lowering->code[i], lowering->linked, rename_place, coalescing);
  code_squeeze(lowering);
}

void copies_coalesce(Lowering *lowering) {
  Flow flow;
  Stretches stretches;
  size_t registers = lowering->register_count + 1u;
  flow_build(&flow, lowering->code, lowering->code_count);
  read_copies_behind(lowering, &flow);
  Coalescing coalescing = {.lowering = lowering,
                           .name = memory_alloc(sizeof(Place) * registers),
                           .lives = memory_alloc(sizeof(Lives) * registers),
                           .is_fixed = memory_alloc(registers)};
  if (stretches_find(&stretches, lowering, &flow)) {
    take_lives(&coalescing, &stretches);
    fix_registers(&coalescing);
    coalesce(&coalescing);
    for (uint32_t v = 0; v < registers - 1; v++) memory_free(coalescing.lives[v].all);
  }
  stretches_clear(&stretches);
  flow_clear(&flow);
  memory_free(coalescing.name);
  memory_free(coalescing.lives);
  memory_free(coalescing.is_fixed);
}
