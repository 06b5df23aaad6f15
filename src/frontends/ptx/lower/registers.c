// SPDX-License-Identifier: MIT
// Register allocation by linear scan: each virtual register has a place in the
// frame during its live interval, so that a warp's registers fit in the host's
// caches. A destination never shares a place with a source of the same
// instruction unless they are the same register, so exec functions may write
// while reading.
//
// Lanes of a diverged warp are at different instructions, where the same place
// may hold different registers. This is safe because instructions write only
// active lanes, and lane i always occupies the same bytes of a place. For the
// latter, predicates, 32-bit and 64-bit registers have separate pools.
//
// The number of registers on hardware is computed separately: see
// register_estimate.c, and register_allocation.c for optimised code.
#include <stdlib.h>

#include "base/memory.h"
#include "frontends/ptx/lower/liveness.h"

// Register ids of all three pools share 16 bits (RegisterUse). docs/ptx.md states the limit.
enum { FRAME_ALIGNMENT = 64, MAX_PLACES = 16384 };

typedef enum PoolKind { POOL_PREDICATE, POOL_32, POOL_64, POOL_COUNT } PoolKind;

static const uint32_t place_bytes[POOL_COUNT] = {4, WARP_LANES * 4, WARP_LANES * 8};

typedef struct Pool {
  uint32_t *busy_until;  // by place: end of the last interval assigned to it
  uint32_t count;        // places used so far
  uint32_t at;           // byte offset of the first one in the frame
  uint32_t first_id;     // its number among all registers of the function (RegisterUse)
} Pool;

static PoolKind pool_of(DataType type) {
  if (type == TYPE_PRED) return POOL_PREDICATE;
  return type_bits(type) == 64 ? POOL_64 : POOL_32;
}

// The first place that is free at the start of the interval; MAX_PLACES if none.
// First fit reuses places early, so that a warp's frame stays in the host's L1.
static uint32_t take(Pool *pool, const LiveInterval *interval) {
  uint32_t place = 0;
  while (place < pool->count && pool->busy_until[place] >= interval->begin) place++;
  if (place == MAX_PLACES) return place;
  if (place == pool->count) pool->count++;
  pool->busy_until[place] = interval->end;
  return place;
}

static uint32_t sort_by_begin(const Lowering *lowering, const Liveness *liveness,
                              LifeOrder *order) {
  uint32_t count = 0;
  for (uint32_t v = 0; v < lowering->register_count; v++)
    if (liveness->intervals[v].begin <= liveness->intervals[v].end)
      order[count++] = (LifeOrder){liveness->intervals[v].begin, v};
  qsort(order, count, sizeof *order, life_by_begin);
  return count;
}

// Sets places[v] to the number of a place in its pool.
static bool assign(const Lowering *lowering, const Liveness *liveness, uint32_t *places,
                   Pool *pools) {
  LifeOrder *order = memory_alloc(sizeof *order * (lowering->register_count + 1));
  uint32_t count = sort_by_begin(lowering, liveness, order);
  bool fits = true;
  for (uint32_t i = 0; i < count && fits; i++) {
    uint32_t v = order[i].v;
    Pool *pool = &pools[pool_of(lowering->register_types[v])];
    places[v] = take(pool, &liveness->intervals[v]);
    fits = places[v] < MAX_PLACES;
  }
  memory_free(order);
  return fits;
}

// Lays out the pools one after the other; returns the size of the frame.
static uint32_t arrange(Pool *pools) {
  uint32_t end = 0;
  for (int k = 0; k < POOL_COUNT; k++) {
    pools[k].first_id = k ? pools[k - 1].first_id + pools[k - 1].count : 0;
    pools[k].at = (end + FRAME_ALIGNMENT - 1) / FRAME_ALIGNMENT * FRAME_ALIGNMENT;
    end = pools[k].at + pools[k].count * place_bytes[k];
  }
  return (end + FRAME_ALIGNMENT - 1) / FRAME_ALIGNMENT * FRAME_ALIGNMENT;
}

typedef struct Rewrite {
  const Lowering *lowering;
  const uint32_t *places;
  const Pool *pools;
  RegisterUse *use;  // of the current instruction
} Rewrite;

static Place final_place(const Rewrite *rewrite, Place place) {
  PoolKind kind = pool_of(rewrite->lowering->register_types[place]);
  return (Place)(rewrite->pools[kind].at + rewrite->places[place] * place_bytes[kind]);
}

// Records the registers that the scoreboard and the register banks see. Hidden registers exist only
// in this implementation and must not cost bank reads.
static void note_register(const Rewrite *rewrite, uint32_t v, PlaceUse use) {
  const PtxFunction *syntax = rewrite->lowering->syntax;
  const Lowering *lowering = rewrite->lowering;
  bool is_preloaded = v >= lowering->first_preloaded && v < lowering->end_preloaded;
  bool is_made = lowering->first_made && v >= lowering->first_made && !is_preloaded;
  if (v >= syntax->register_count && !is_made) return;  // hidden
  PoolKind kind = pool_of(rewrite->lowering->register_types[v]);
  uint32_t id = rewrite->pools[kind].first_id + rewrite->places[v];
  uint8_t number = (uint8_t)(is_made ? v : syntax->registers[v].number);
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

// The guard is not read from the register file, so it is recorded separately.
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
  for (uint32_t i = 0; i < lowering->linked->preload_count; i++) {
    Place *place = &lowering->linked->preloads[i].place;
    *place = final_place(rewrite, *place);
  }
}

// Parameters in registers are live from the start, even if never read.
static void keep_parameters(const Lowering *lowering, Liveness *liveness) {
  for (uint32_t i = 0; i < lowering->linked->param_count; i++) {
    Place place = lowering->linked->params[i].place;
    if (place < 0) continue;
    LiveInterval *interval = &liveness->intervals[place];
    interval->begin = 0;
    if (interval->end < 1) interval->end = 1;
  }
}

// A preloaded register that nothing reads has no place: its value would end in another's.
static void drop_unread_preloads(Function *function, const Liveness *liveness) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < function->preload_count; i++) {
    const LiveInterval *interval = &liveness->intervals[function->preloads[i].place];
    if (interval->begin <= interval->end) function->preloads[kept++] = function->preloads[i];
  }
  function->preload_count = kept;
}

Status registers_allocate(Lowering *lowering, const Flow *flow, Error *err) {
  Liveness liveness;
  bool fits = liveness_compute(&liveness, lowering, flow);
  if (fits) keep_parameters(lowering, &liveness);
  if (fits) drop_unread_preloads(lowering->linked, &liveness);
  Pool pools[POOL_COUNT] = {{0}};
  for (int k = 0; k < POOL_COUNT; k++)
    pools[k].busy_until = memory_alloc(sizeof(uint32_t) * MAX_PLACES);
  uint32_t *places = memory_alloc(sizeof *places * (lowering->register_count + 1));
  fits = fits && assign(lowering, &liveness, places, pools);
  if (fits) {
    const CompilerConfig *compiler = lowering->linker->compiler;
    bool is_optimised = compiler && compiler->optimise;
    lowering->linked->registers =
        is_optimised ? registers_allocation(lowering, flow) : registers_estimate(lowering, flow);
    lowering->linked->frame_bytes = arrange(pools);
    rewrite_all(&(Rewrite){.lowering = lowering, .places = places, .pools = pools});
    lowering->linked->predicate_count = pools[POOL_PREDICATE].count;
    Program *program = lowering->linker->program;
    uint32_t id_count = pools[POOL_64].first_id + pools[POOL_64].count;
    if (program->register_id_count < id_count) program->register_id_count = id_count;
    lowering->function->live_at_calls = liveness.live_at_calls;
  }
  liveness_clear(&liveness);
  for (int k = 0; k < POOL_COUNT; k++) memory_free(pools[k].busy_until);
  memory_free(places);
  if (fits) return OK;
  return ptx_error(lowering->module, err, ERR_UNSUPPORTED, lowering->syntax->position,
                   "%s is too large: more than %d live registers, or too many basic blocks",
                   lowering->syntax->name, MAX_PLACES);
}
