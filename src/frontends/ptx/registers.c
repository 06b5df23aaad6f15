// SPDX-License-Identifier: MIT
// Register allocation: each virtual register gets a place in the frame for as
// long as it is alive (linear scan over intervals), so that a warp's registers
// fit the host's caches. A destination never shares a place with a source of
// the same instruction unless they are the same register, so exec functions
// may write as they read.
//
// The number of registers that the hardware would need is a separate matter:
// it follows from how many are alive at once. See registers_estimate.
#include <stdlib.h>

#include "base/memory.h"
#include "frontends/ptx/liveness.h"

enum { UNIT_BYTES = WARP_LANES * 4, FRAME_ALIGNMENT = 64, MAX_UNITS = 16384 };

typedef struct Allocation32 {
  uint32_t *busy_until;  // by unit (or predicate): the end of the interval that took it last
  uint32_t count;        // units ever taken
} Allocation32;

typedef struct Order {
  uint32_t begin, v;
} Order;

static int by_begin(const void *a, const void *b) {
  const Order *x = a, *y = b;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  return x->v < y->v ? -1 : x->v > y->v;
}

// The first run of `width` units that are all free at `begin`; MAX_UNITS if none.
static uint32_t take(Allocation32 *units, uint32_t width, const LiveInterval *interval) {
  uint32_t run = 0;
  for (uint32_t unit = 0; unit < MAX_UNITS; unit++) {
    bool is_free = unit >= units->count || units->busy_until[unit] < interval->begin;
    run = is_free ? run + 1 : 0;
    if (run < width) continue;
    uint32_t first = unit + 1 - width;
    for (uint32_t i = first; i <= unit; i++) units->busy_until[i] = interval->end;
    if (units->count < unit + 1) units->count = unit + 1;
    return first;
  }
  return MAX_UNITS;
}

static uint32_t sort_by_begin(const Lowering *lowering, const Liveness *liveness, Order *order) {
  uint32_t count = 0;
  for (uint32_t v = 0; v < lowering->register_count; v++)
    if (liveness->intervals[v].begin <= liveness->intervals[v].end)
      order[count++] = (Order){liveness->intervals[v].begin, v};
  qsort(order, count, sizeof *order, by_begin);
  return count;
}

// Fills places[v] with a predicate's or a unit's number.
static bool assign(const Lowering *lowering, const Liveness *liveness, uint32_t *places,
                   Allocation32 *units, Allocation32 *predicates) {
  Order *order = memory_alloc(sizeof *order * (lowering->register_count + 1));
  uint32_t count = sort_by_begin(lowering, liveness, order);
  bool fits = true;
  for (uint32_t i = 0; i < count && fits; i++) {
    uint32_t v = order[i].v;
    DataType type = lowering->register_types[v];
    Allocation32 *pool = type == TYPE_PRED ? predicates : units;
    places[v] = take(pool, type_bits(type) == 64 ? 2 : 1, &liveness->intervals[v]);
    fits = places[v] < MAX_UNITS;
  }
  memory_free(order);
  return fits;
}

typedef struct Rewrite {
  const Lowering *lowering;
  const uint32_t *places;
  uint32_t units_at;  // byte offset of the first unit, behind the predicates
  uint32_t predicate_count;
  RegisterUse *use;   // of the instruction that is rewritten
} Rewrite;

static Place final_place(const Rewrite *rewrite, Place place) {
  bool is_predicate = rewrite->lowering->register_types[place] == TYPE_PRED;
  uint32_t at = rewrite->places[place];
  return (Place)(is_predicate ? at * 4 : rewrite->units_at + at * UNIT_BYTES);
}

static void note_register(const Rewrite *rewrite, uint32_t v, PlaceUse use) {
  const PtxFunction *syntax = rewrite->lowering->syntax;
  if (v >= syntax->register_count) return;  // hidden
  bool is_predicate = rewrite->lowering->register_types[v] == TYPE_PRED;
  uint32_t id = rewrite->places[v] + (is_predicate ? 0 : rewrite->predicate_count);
  uint8_t number = (uint8_t)syntax->registers[v].number;
  RegisterUse *into = rewrite->use;
  if (use == PLACE_READ && into->source_count < MAX_REGISTER_SOURCES) {
    into->source_numbers[into->source_count] = number;
    into->sources[into->source_count++] = (uint16_t)id;
  } else if (use == PLACE_WRITTEN && into->destination_count < MAX_REGISTER_DESTINATIONS) {
    into->destination_numbers[into->destination_count] = number;
    into->destinations[into->destination_count++] = (uint16_t)id;
  }
}

static void rewrite_place(void *state, Place *place, PlaceUse use) {
  const Rewrite *rewrite = state;
  note_register(rewrite, (uint32_t)*place, use);
  *place = final_place(rewrite, *place);
}

// The guard is read beside the register file: it stands apart.
static void separate_guard(const Instruction *in, RegisterUse *use) {
  use->guard = NO_REGISTER;
  if (in->guard < 0) return;
  use->guard = use->sources[0];  // instruction_each_place visits it first
  use->source_count--;
  for (int i = 0; i < use->source_count; i++) {
    use->sources[i] = use->sources[i + 1];
    use->source_numbers[i] = use->source_numbers[i + 1];
  }
}

static void rewrite_slots(const Rewrite *rewrite, Slot *slots, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (slots[i].place >= 0) slots[i].place = final_place(rewrite, slots[i].place);
}

static void rewrite_all(Rewrite *rewrite) {
  const Lowering *lowering = rewrite->lowering;
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    Instruction *in = &lowering->code[i];
    rewrite->use = &lowering->register_uses[i];
    *rewrite->use = (RegisterUse){0};
    instruction_each_place(in, lowering->linked, rewrite_place, rewrite);
    separate_guard(in, rewrite->use);
  }
  rewrite_slots(rewrite, lowering->linked->params, lowering->linked->param_count);
  rewrite_slots(rewrite, lowering->linked->results, lowering->linked->result_count);
}

// What ptxas would give a thread. It folds address arithmetic and needs a few
// registers of its own; fitted against ptxas -v (docs/model.md).
static uint32_t registers_estimate(uint32_t most_live) {
  enum { OWN = 4, LEAST = 8, MOST = 255 };
  uint32_t estimate = most_live + OWN;
  return estimate < LEAST ? LEAST : estimate > MOST ? MOST : estimate;
}

// Parameters in registers hold a value from the start, read or not.
static void keep_parameters(const Lowering *lowering, Liveness *liveness) {
  for (uint32_t i = 0; i < lowering->linked->param_count; i++) {
    Place place = lowering->linked->params[i].place;
    if (place < 0) continue;
    LiveInterval *interval = &liveness->intervals[place];
    interval->begin = 0;
    if (interval->end < 1) interval->end = 1;
  }
}

Status registers_allocate(Lowering *lowering, const Flow *flow, Error *err) {
  Liveness liveness;
  bool fits = liveness_compute(&liveness, lowering, flow);
  if (fits) keep_parameters(lowering, &liveness);
  Allocation32 units = {.busy_until = memory_alloc(sizeof(uint32_t) * MAX_UNITS)};
  Allocation32 predicates = {.busy_until = memory_alloc(sizeof(uint32_t) * MAX_UNITS)};
  uint32_t *places = memory_alloc(sizeof *places * (lowering->register_count + 1));
  fits = fits && assign(lowering, &liveness, places, &units, &predicates);
  if (fits) {
    uint32_t units_at =
        (predicates.count * 4 + FRAME_ALIGNMENT - 1) / FRAME_ALIGNMENT * FRAME_ALIGNMENT;
    Rewrite rewrite = {.lowering = lowering,
                       .places = places,
                       .units_at = units_at,
                       .predicate_count = predicates.count};
    rewrite_all(&rewrite);
    lowering->linked->frame_bytes = units_at + units.count * UNIT_BYTES;
    lowering->linked->predicate_count = predicates.count;
    Program *program = lowering->linker->program;
    if (program->register_id_count < predicates.count + units.count)
      program->register_id_count = predicates.count + units.count;
    lowering->linked->registers = registers_estimate(liveness.most_live);
    lowering->function->live_at_calls = liveness.live_at_calls;
  }
  liveness_clear(&liveness);
  memory_free(units.busy_until);
  memory_free(predicates.busy_until);
  memory_free(places);
  if (fits) return OK;
  return ptx_error(lowering->module, err, ERR_UNSUPPORTED, lowering->syntax->position,
                   "%s is too large: more than %d registers alive at once, or too many blocks",
                   lowering->syntax->name, MAX_UNITS);
}
