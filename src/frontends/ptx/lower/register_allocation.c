// SPDX-License-Identifier: MIT
// Number of registers per thread after the optimising pass, by greedy colouring:
// each virtual register, ordered by its first stretch, gets the lowest 32-bit
// register that is free throughout its live stretches. 64-bit registers take
// aligned pairs, elements of a vector aligned groups. Predicates have a separate
// register file; preloaded parameters and constants are read from constant memory.
//
// Not modelled: spilling. A function that exceeds the maximum gets the maximum.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/lower/issue_slots.h"
#include "frontends/ptx/lower/stretches.h"

// OWN: the stack pointer.
enum { MOST = 255, OWN = 1, LEAST = 8, GROUP = 4 };

typedef struct Colouring {
  const Lowering *lowering;
  Stretches stretches;
  uint32_t words;         // length of a bit set over the program points
  uint64_t *taken;        // by register: the points at which it is occupied
  Place (*group)[GROUP];  // vectors
  uint32_t *group_of;     // by virtual register: index of its vector + 1, or 0
  uint32_t group_count, group_capacity;
  bool *is_done;  // by virtual register
  uint32_t most;  // registers used
} Colouring;

static bool is_free(const Colouring *colouring, uint32_t at, const Stretch *stretch) {
  const uint64_t *taken = colouring->taken + (size_t)at * colouring->words;
  uint32_t first = stretch->begin / 64, last = stretch->end / 64;
  uint64_t from = UINT64_MAX << stretch->begin % 64, to = UINT64_MAX >> (63 - stretch->end % 64);
  if (first == last) return !(taken[first] & from & to);
  if (taken[first] & from || taken[last] & to) return false;
  for (uint32_t w = first + 1; w < last; w++)
    if (taken[w]) return false;
  return true;
}

static void take(Colouring *colouring, uint32_t at, const Stretch *stretch) {
  uint64_t *taken = colouring->taken + (size_t)at * colouring->words;
  uint32_t first = stretch->begin / 64, last = stretch->end / 64;
  uint64_t from = UINT64_MAX << stretch->begin % 64, to = UINT64_MAX >> (63 - stretch->end % 64);
  if (first == last) {
    taken[first] |= from & to;
    return;
  }
  taken[first] |= from;
  taken[last] |= to;
  for (uint32_t w = first + 1; w < last; w++) taken[w] = UINT64_MAX;
}

// Size in 32-bit registers, the unit of the register file.
static uint32_t units_of(const Colouring *colouring, Place v) {
  DataType type = colouring->lowering->register_types[v];
  return type == TYPE_PRED ? 0 : type_bits(type) == 64 ? 2 : 1;
}

static bool fits(const Colouring *colouring, Place v, uint32_t at) {
  const Stretches *stretches = &colouring->stretches;
  for (uint32_t unit = 0; unit < units_of(colouring, v); unit++)
    for (uint32_t s = stretches->first[v]; s < stretches->first[v + 1]; s++)
      if (!is_free(colouring, at + unit, &stretches->all[s])) return false;
  return true;
}

static void settle(Colouring *colouring, Place v, uint32_t at) {
  const Stretches *stretches = &colouring->stretches;
  uint32_t units = units_of(colouring, v);
  for (uint32_t unit = 0; unit < units; unit++)
    for (uint32_t s = stretches->first[v]; s < stretches->first[v + 1]; s++)
      take(colouring, at + unit, &stretches->all[s]);
  colouring->is_done[v] = true;
  if (at + units > colouring->most) colouring->most = at + units;
}

// Assigns the first position that is free for a register or for all elements of a vector. The
// search advances by the size of the group: vectors are aligned to their size, as 64- and 128-bit
// accesses require.
static void place(Colouring *colouring, const Place *parts, uint32_t count) {
  uint32_t units = units_of(colouring, parts[0]), step = units * count, at = 0;
  for (; at + step <= MOST; at += step) {
    bool is_good = true;
    for (uint32_t k = 0; k < count && is_good; k++)
      is_good = fits(colouring, parts[k], at + k * units);
    if (is_good) break;
  }
  if (at + step > MOST) {
    colouring->most = MOST;
    return;
  }
  for (uint32_t k = 0; k < count; k++) settle(colouring, parts[k], at + k * units);
}

// ---- vectors

static bool can_join(const Colouring *colouring, const Place *parts, uint32_t count) {
  for (uint32_t k = 0; k < count; k++) {
    if (parts[k] < 0 || colouring->group_of[parts[k]] ||
        units_of(colouring, parts[k]) != units_of(colouring, parts[0]))
      return false;
    for (uint32_t j = 0; j < k; j++)
      if (parts[j] == parts[k]) return false;
  }
  return true;
}

static void note_vectors(Colouring *colouring) {
  const Lowering *lowering = colouring->lowering;
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    const Instruction *in = &lowering->code[i];
    bool is_load = in->form.op == OP_LD || in->form.op == OP_LDU, is_store = in->form.op == OP_ST;
    uint32_t count = in->form.vector;
    const Place *parts = is_load ? in->dst : in->src + 1;
    if ((!is_load && !is_store) || count < 2 || count > GROUP || in->list) continue;
    if (!can_join(colouring, parts, count)) continue;
    GROW(colouring->group, colouring->group_count, colouring->group_capacity);
    Place *group = colouring->group[colouring->group_count++];
    for (uint32_t k = 0; k < GROUP; k++) group[k] = k < count ? parts[k] : NO_PLACE;
    for (uint32_t k = 0; k < count; k++) colouring->group_of[parts[k]] = colouring->group_count;
  }
}

// ---- order of first stretches

// In the order of linear scan. Stretches instead of intervals allow reuse of a register in the
// lifetime holes of another.
static void place_all(Colouring *colouring) {
  const Lowering *lowering = colouring->lowering;
  const Stretches *stretches = &colouring->stretches;
  LifeOrder *order = memory_alloc(sizeof *order * (lowering->register_count + 1u));
  uint32_t count = 0;
  for (uint32_t v = 0; v < lowering->register_count; v++)
    if (stretches->first[v] < stretches->first[v + 1] && units_of(colouring, (Place)v))
      order[count++] = (LifeOrder){stretches->all[stretches->first[v]].begin, v};
  qsort(order, count, sizeof *order, life_by_begin);
  for (uint32_t i = 0; i < count && colouring->most < MOST; i++) {
    Place v = (Place)order[i].v;
    if (colouring->is_done[v]) continue;
    uint32_t group = colouring->group_of[v], parts = 0;
    if (!group) {
      place(colouring, &v, 1);
      continue;
    }
    while (parts < GROUP && colouring->group[group - 1][parts] != NO_PLACE) parts++;
    place(colouring, colouring->group[group - 1], parts);
  }
  memory_free(order);
}

// ---- distance between a read and the next write of a register

// ptxas hardly ever gives a register to the next instruction after its last read: neither
// does this. A stretch ends with its block at the latest.
static void hold_sources(Colouring *colouring, const Flow *flow) {
  const Lowering *lowering = colouring->lowering;
  const Stretches *stretches = &colouring->stretches;
  for (uint32_t s = 0; s < stretches->first[lowering->register_count]; s++) {
    Stretch *stretch = &stretches->all[s];
    uint32_t i = stretch->end / 2;
    if (i >= lowering->code_count) continue;
    uint32_t end = flow->blocks[flow->block_of[i]].end;
    if (i + 1 < end) stretch->end = later(stretch->end, 2 * (i + 1));
  }
}

uint32_t registers_allocation(const Lowering *lowering, const Flow *flow) {
  size_t registers = lowering->register_count + 1u;
  Colouring colouring = {.lowering = lowering,
                         .words = lowering->code_count * 2 / 64 + 1,
                         .group_of = memory_alloc(sizeof(uint32_t) * registers),
                         .is_done = memory_alloc(registers),
                         .most = MOST};
  colouring.taken = memory_alloc(sizeof(uint64_t) * colouring.words * (MOST + 1u));
  if (stretches_find(&colouring.stretches, lowering, flow)) {
    colouring.most = 0;
    if (compiler_rules(lowering->linker->compiler)->follows_ptxas_13)
      constant_operands_find(lowering, colouring.is_done);
    for (uint32_t i = 0; i < lowering->linked->preload_count; i++)
      colouring.is_done[lowering->linked->preloads[i].place] = true;
    hold_sources(&colouring, flow);
    note_vectors(&colouring);
    place_all(&colouring);
  }
  stretches_clear(&colouring.stretches);
  memory_free(colouring.taken);
  memory_free(colouring.group);
  memory_free(colouring.group_of);
  memory_free(colouring.is_done);
  uint32_t count = colouring.most + OWN;
  return count < LEAST ? LEAST : count > MOST ? MOST : count;
}
