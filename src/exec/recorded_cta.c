// SPDX-License-Identifier: MIT
// Executes a CTA to its end at its start and records the steps that the machine replays.
#include "exec/recorded_cta.h"

#include <string.h>

#include "base/memory.h"
#include "exec/barrier.h"
#include "exec/replay.h"

// Warps take turns, so that one that spins for another of its CTA gets an answer; turns without
// end are a wait for another CTA.
enum { TURN_STEPS = 4096, MOST_TURNS = 1 << 16 };

// An access without its addresses, which follow one another in `addresses`; those of most are
// the first and a stride.
typedef struct RecordedAccess {
  MemoryAccess *lanes;  // NULL: regular
  uint64_t first, stride;
  uint32_t mask, generic_shared, generic_local;
  uint8_t space, bytes;
  bool write, atomic;
} RecordedAccess;

typedef struct Step {
  uint32_t pc, mask;
  uint32_t access;          // index + 1; 0: none
  BarrierOperands barrier;  // of a barrier
  uint32_t live;            // lanes of the warp that had not exited
  bool is_after_gap;        // steps before it were left out
} Step;

typedef struct WarpSteps {
  Step *steps;
  RecordedAccess *accesses;
  uint32_t count, capacity, access_count, access_capacity;
  uint32_t next;  // to be replayed
} WarpSteps;

struct RecordedCta {
  Replay replay;
  WarpSteps *warps;
  uint32_t warp_count;
};

bool recorded_cta_is_possible(const Launch *launch) {
  if (launch->replay || launch->workspace || launch_cluster_size(launch) > 1) return false;
  for (uint32_t f = 0; f < launch->program->function_count; f++) {
    const Function *function = &launch->program->functions[f];
    if (function->native && strncmp(function->name, "cuda", 4) == 0) return false;
  }
  return true;
}

// ---- accesses

static bool is_regular(const MemoryAccess *access, uint64_t *first, uint64_t *stride) {
  uint32_t mask = access->mask, lowest = (uint32_t)__builtin_ctz(mask);
  uint32_t rest = mask & (mask - 1);
  uint32_t second = rest ? (uint32_t)__builtin_ctz(rest) : lowest;
  uint64_t gap = access->address[second] - access->address[lowest];
  if (second != lowest && gap % (second - lowest)) return false;
  *stride = second == lowest ? 0 : gap / (second - lowest);
  *first = access->address[lowest] - *stride * lowest;
  for (; rest; rest &= rest - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(rest);
    if (access->address[lane] != *first + *stride * lane) return false;
  }
  return true;
}

static uint32_t add_access(WarpSteps *warp, const MemoryAccess *access) {
  GROW(warp->accesses, warp->access_count, warp->access_capacity);
  RecordedAccess *made = &warp->accesses[warp->access_count++];
  *made = (RecordedAccess){.mask = access->mask,
                           .generic_shared = access->generic_shared,
                           .generic_local = access->generic_local,
                           .space = access->space,
                           .bytes = access->bytes,
                           .write = access->write,
                           .atomic = access->atomic};
  if (!is_regular(access, &made->first, &made->stride)) {
    made->lanes = memory_alloc(sizeof *made->lanes);
    *made->lanes = *access;
  }
  return warp->access_count;
}

static void read_access(const RecordedAccess *access, MemoryAccess *out) {
  if (access->lanes) {
    *out = *access->lanes;
    return;
  }
  *out = (MemoryAccess){.mask = access->mask,
                        .generic_shared = access->generic_shared,
                        .generic_local = access->generic_local,
                        .space = access->space,
                        .bytes = access->bytes,
                        .write = access->write,
                        .atomic = access->atomic};
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    out->address[lane] = access->first + access->stride * lane;
}

static void add_step(WarpSteps *warp, Step step) {
  GROW(warp->steps, warp->count, warp->capacity);
  warp->steps[warp->count++] = step;
}

static void warp_steps_clear(WarpSteps *warp) {
  for (uint32_t i = 0; i < warp->access_count; i++) memory_free(warp->accesses[i].lanes);
  memory_free(warp->accesses);
  memory_free(warp->steps);
}

// ---- recording

static bool is_barrier(const Instruction *in) {
  return in->form.op == OP_BAR || in->form.op == OP_BARRIER;
}

static void record_step(WarpSteps *warp, ExecContext *context, Warp *executed) {
  uint32_t active, live = ~executed->exited;
  const Instruction *in = warp_step(context, executed, &active);
  Step step = {.pc = (uint32_t)(in - executed->code),
               .mask = active,
               .live = live};
  if (active && is_barrier(in)) step.barrier = barrier_operands(executed, in, active);
  if (context->access.mask) step.access = add_access(warp, &context->access);
  add_step(warp, step);
}

static bool run_turn(RecordedCta *recorded, ExecContext *context, Cta *cta, const Warp **faulty) {
  for (uint32_t w = 0; w < cta->warp_count; w++) {
    Warp *warp = &cta->warps[w];
    for (int i = 0; i < TURN_STEPS && warp->state == WARP_RUNNING; i++) {
      record_step(&recorded->warps[w], context, warp);
      *faulty = warp;
      if (context->fault.kind) return false;
    }
  }
  if (!cta_is_hung(cta)) return true;
  fault_raise(context, *faulty, FAULT_HUNG_BARRIER, 0);
  return false;
}

// Stores take effect at once: no other SM runs while a CTA starts.
static bool run_all(RecordedCta *recorded, ExecContext *context, Cta *cta, const Warp **faulty) {
  bool is_well = true;
  for (int turn = 0; is_well && cta->live_warps; turn++) {
    is_well = run_turn(recorded, context, cta, faulty);
    if (is_well && turn == MOST_TURNS) {
      fault_raise(context, *faulty, FAULT_WAITS, 0);
      is_well = false;
    }
  }
  return is_well;
}

// ---- divergence

// Addresses of lanes whose accesses are left out, of one instruction.
typedef struct LanePool {
  uint64_t *addresses;
  uint8_t *spaces;  // bit 0: generic and shared; bit 1: generic and local
  uint32_t count, capacity, space_capacity;
  uint32_t next;  // to be taken
} LanePool;

typedef struct Regrouping {
  RecordedCta *recorded;
  const Program *program;
  uint64_t first_warp;  // its number in the grid
  LanePool *pools;      // by pc
  uint32_t *followed;   // by pc: steps of some lanes that warps execute
} Regrouping;

// Steps of some lanes only. Barriers have all lanes to wait for. Atomics wait for each other rather
// than for their warp. The last step ends the warp.
static bool is_regrouped(const Regrouping *regrouping, const WarpSteps *warp, const Step *step) {
  const Instruction *in = &regrouping->program->code[step->pc];
  bool is_partial = step->mask && step->mask != step->live;
  return is_partial && step + 1 < warp->steps + warp->count && !is_barrier(in) &&
         in->form.op != OP_ATOM && in->form.op != OP_RED;
}

// Whether the lane that the warp follows takes part. Warps follow different ones: multiples of the
// golden ratio are spread evenly over the lanes.
static bool follows(const Regrouping *regrouping, uint32_t w, const Step *step) {
  uint32_t part = (uint32_t)(regrouping->first_warp + w) * 2654435769u;
  uint32_t rank = (uint32_t)((uint64_t)part * (uint32_t)__builtin_popcount(step->live) >> 32);
  uint32_t live = step->live;
  for (; rank; rank--) live &= live - 1;
  return step->mask & live & (0 - live);
}

static void pool_lanes(LanePool *pool, const MemoryAccess *access) {
  for (uint32_t left = access->mask; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left), spaces = pool->count;
    GROW(pool->addresses, pool->count, pool->capacity);
    GROW(pool->spaces, spaces, pool->space_capacity);
    pool->addresses[pool->count] = access->address[lane];
    pool->spaces[pool->count++] = (uint8_t)((access->generic_shared >> lane & 1) |
                                            (access->generic_local >> lane & 1) << 1);
  }
}

// Fills lanes of an access that are free with those of the pool.
static void take_lanes(MemoryAccess *access, uint32_t live, LanePool *pool) {
  for (uint32_t left = live & ~access->mask; left && pool->next < pool->count; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left), bit = 1u << lane;
    uint8_t space = pool->spaces[pool->next];
    access->address[lane] = pool->addresses[pool->next++];
    access->mask |= bit;
    if (space & 1) access->generic_shared |= bit;
    if (space & 2) access->generic_local |= bit;
  }
}

// What is left out, and who executes the rest.
static void survey(Regrouping *regrouping) {
  MemoryAccess access;
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t w = 0; w < regrouping->recorded->warp_count; w++) {
      const WarpSteps *warp = &regrouping->recorded->warps[w];
      for (const Step *step = warp->steps; step < warp->steps + warp->count; step++) {
        if (!is_regrouped(regrouping, warp, step)) continue;
        bool is_followed = follows(regrouping, w, step);
        if (!pass) regrouping->followed[step->pc] += is_followed;
        if (!pass || is_followed || !step->access || !regrouping->followed[step->pc]) continue;
        read_access(&warp->accesses[step->access - 1], &access);
        pool_lanes(&regrouping->pools[step->pc], &access);
      }
    }
  }
}

static void copy_step(WarpSteps *to, const WarpSteps *from, const Step *step, LanePool *pool) {
  MemoryAccess access;
  Step copy = *step;
  if (step->access) {
    read_access(&from->accesses[step->access - 1], &access);
    if (pool) take_lanes(&access, step->live, pool);
    if (pool) copy.mask |= access.mask;
    copy.access = add_access(to, &access);
  }
  add_step(to, copy);
}

// Accesses that no warp of the CTA would make instead remain where they are.
static void regroup_warp(Regrouping *regrouping, uint32_t w) {
  WarpSteps made = {0}, *warp = &regrouping->recorded->warps[w];
  bool has_gap = false;
  for (const Step *step = warp->steps; step < warp->steps + warp->count; step++) {
    bool is_some = is_regrouped(regrouping, warp, step);
    bool is_followed = is_some && follows(regrouping, w, step);
    bool is_alone = step->access && !regrouping->followed[step->pc];
    if (is_some && !is_followed && !is_alone) {
      has_gap = true;
      continue;
    }
    copy_step(&made, warp, step, is_followed ? &regrouping->pools[step->pc] : NULL);
    made.steps[made.count - 1].is_after_gap = has_gap;
    has_gap = false;
  }
  warp_steps_clear(warp);
  *warp = made;
}

static void regroup(RecordedCta *recorded, const Cta *cta) {
  const Program *program = cta->launch->program;
  Regrouping regrouping = {.recorded = recorded,
                           .program = program,
                           .first_warp = cta->linear * recorded->warp_count,
                           .pools = memory_alloc(sizeof(LanePool) * (program->code_count + 1)),
                           .followed = memory_alloc(sizeof(uint32_t) * (program->code_count + 1))};
  survey(&regrouping);
  for (uint32_t w = 0; w < recorded->warp_count; w++) regroup_warp(&regrouping, w);
  for (uint32_t pc = 0; pc < program->code_count; pc++) {
    memory_free(regrouping.pools[pc].addresses);
    memory_free(regrouping.pools[pc].spaces);
  }
  memory_free(regrouping.pools);
  memory_free(regrouping.followed);
}

// ---- balance

// The steps of a warp up to its next barrier, or to its end.
typedef struct Phase {
  uint32_t first, count;  // without the barrier, or the last step
} Phase;

static bool ends_phase(const WarpSteps *warp, const Program *program, uint32_t i) {
  return i + 1 == warp->count || is_barrier(&program->code[warp->steps[i].pc]);
}

static Phase phase_at(const WarpSteps *warp, const Program *program, uint32_t first) {
  Phase phase = {.first = first};
  while (first + phase.count < warp->count && !ends_phase(warp, program, first + phase.count))
    phase.count++;
  return phase;
}

static uint32_t count_phases(const WarpSteps *warp, const Program *program) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < warp->count; i++) count += ends_phase(warp, program, i);
  return count;
}

// The steps of a warp beyond `most` go to those that have fewer, in their order.
static void deal_steps(const RecordedCta *recorded, WarpSteps *made, const Phase *phases,
                       uint32_t most) {
  uint32_t to = 0, room = 0;
  for (uint32_t w = 0; w < recorded->warp_count; w++) {
    const WarpSteps *from = &recorded->warps[w];
    for (uint32_t k = most; k < phases[w].count; k++) {
      while (!room) {
        room = phases[to].count < most ? most - phases[to].count : 0;
        if (!room) to++;
        if (to == recorded->warp_count) return;
      }
      copy_step(&made[to], from, &from->steps[phases[w].first + k], NULL);
      made[to].steps[made[to].count - 1].is_after_gap = true;
      if (!--room) to++;
    }
  }
}

// Unless one warp has clearly more than the mean, all keep their own.
static uint32_t most_steps(const Phase *phases, uint32_t warps) {
  uint64_t all = 0;
  uint32_t most = 0;
  for (uint32_t w = 0; w < warps; w++) {
    all += phases[w].count;
    if (phases[w].count > most) most = phases[w].count;
  }
  uint32_t mean = (uint32_t)((all + warps - 1) / warps);
  return 4 * (uint64_t)most > 5 * (uint64_t)mean ? mean : most;
}

static void balance_phase(RecordedCta *recorded, WarpSteps *made, Phase *phases,
                          const Program *program) {
  for (uint32_t w = 0; w < recorded->warp_count; w++)
    phases[w] = phase_at(&recorded->warps[w], program, phases[w].first);
  uint32_t most = most_steps(phases, recorded->warp_count);
  for (uint32_t w = 0; w < recorded->warp_count; w++)
    for (uint32_t k = 0; k < phases[w].count && k < most; k++)
      copy_step(&made[w], &recorded->warps[w], &recorded->warps[w].steps[phases[w].first + k],
                NULL);
  deal_steps(recorded, made, phases, most);
  for (uint32_t w = 0; w < recorded->warp_count; w++) {
    const WarpSteps *warp = &recorded->warps[w];
    uint32_t last = phases[w].first + phases[w].count;
    copy_step(&made[w], warp, &warp->steps[last], NULL);
    made[w].steps[made[w].count - 1].is_after_gap = true;
    phases[w].first = last + 1;
  }
}

// CTAs whose warps arrive at different numbers of barriers stay as they are.
static void balance(RecordedCta *recorded, const Program *program) {
  uint32_t warps = recorded->warp_count, phases = count_phases(&recorded->warps[0], program);
  for (uint32_t w = 1; w < warps; w++)
    if (count_phases(&recorded->warps[w], program) != phases) return;
  WarpSteps *made = memory_alloc(sizeof *made * warps);
  Phase *at = memory_alloc(sizeof *at * warps);
  for (uint32_t p = 0; p < phases; p++) balance_phase(recorded, made, at, program);
  for (uint32_t w = 0; w < warps; w++) warp_steps_clear(&recorded->warps[w]);
  memory_free(recorded->warps);
  memory_free(at);
  recorded->warps = made;
}

// ---- replay

static void *open_steps(void *self, uint64_t cta, uint32_t warp) {
  RecordedCta *recorded = self;
  (void)cta;
  recorded->warps[warp].next = 0;
  return &recorded->warps[warp];
}

static bool next_step(void *steps, ReplayStep *out) {
  WarpSteps *warp = steps;
  if (warp->next == warp->count) return false;
  const Step *step = &warp->steps[warp->next++];
  *out = (ReplayStep){.pc = step->pc,
                      .mask = step->mask,
                      .barrier = step->barrier.id,
                      .barrier_threads = step->barrier.threads,
                      .is_after_gap = step->is_after_gap};
  if (step->access) read_access(&warp->accesses[step->access - 1], &out->access);
  return true;
}

static void close_steps(void *steps) {
  (void)steps;
}

RecordedCta *recorded_cta_create(ExecContext *context, Cta *cta, RecordOptions options,
                                 const Warp **faulty) {
  RecordedCta *recorded = memory_alloc(sizeof *recorded);
  StoreQueue *stores = context->stores;
  recorded->warp_count = cta->warp_count;
  recorded->warps = memory_alloc(sizeof *recorded->warps * cta->warp_count);
  recorded->replay = (Replay){.self = recorded,
                              .open = open_steps,
                              .next = next_step,
                              .close = close_steps,
                              .passes_barriers = options.no_barriers};
  context->stores = NULL;
  bool is_well = run_all(recorded, context, cta, faulty);
  context->stores = stores;
  if (!is_well) {
    recorded_cta_destroy(recorded);
    return NULL;
  }
  if (options.no_divergence) regroup(recorded, cta);
  if (options.is_balanced) balance(recorded, cta->launch->program);
  cta_start(cta, cta->launch, cta->linear, cta->shared, cta->warps, 0);
  for (uint32_t w = 0; w < cta->warp_count; w++) replay_start(&cta->warps[w], &recorded->replay);
  return recorded;
}

void recorded_cta_destroy(RecordedCta *recorded) {
  if (!recorded) return;
  for (uint32_t w = 0; w < recorded->warp_count; w++) warp_steps_clear(&recorded->warps[w]);
  memory_free(recorded->warps);
  memory_free(recorded);
}
