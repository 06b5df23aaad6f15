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
  uint8_t lanes;            // of the warp, that had not exited
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
               .lanes = (uint8_t)__builtin_popcount(live)};
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

// Lanes of one instruction that have not been replayed yet.
typedef struct Pool {
  double share;  // of the lanes of a warp
  uint32_t lanes;
  MemoryAccess access;
} Pool;

typedef struct Merging {
  uint32_t *pool_of;  // by pc: index + 1
  Pool *pools;
  uint32_t count, capacity;
} Merging;

static Pool *pool_at(Merging *merging, uint32_t pc) {
  if (!merging->pool_of[pc]) {
    GROW(merging->pools, merging->count, merging->capacity);
    merging->pools[merging->count] = (Pool){0};
    merging->pool_of[pc] = ++merging->count;
  }
  return &merging->pools[merging->pool_of[pc] - 1];
}

// The lanes' addresses go to the lowest free lanes of the pool, as many as fit; the pool never has
// more than a warp, since steps leave it when they have made one.
static void pool_access(Pool *pool, const MemoryAccess *access) {
  uint32_t count = pool->lanes;
  if (!count) pool->access = (MemoryAccess){.space = access->space, .bytes = access->bytes};
  pool->access.write = access->write;
  pool->access.atomic = access->atomic;
  for (uint32_t left = access->mask; left && count < WARP_LANES; left &= left - 1, count++) {
    uint32_t lane = (uint32_t)__builtin_ctz(left), bit = 1u << count;
    pool->access.address[count] = access->address[lane];
    pool->access.mask |= bit;
    if (access->generic_shared >> lane & 1) pool->access.generic_shared |= bit;
    if (access->generic_local >> lane & 1) pool->access.generic_local |= bit;
  }
  pool->lanes = count;
}

static void empty_pool(WarpSteps *to, Pool *pool, const Step *step) {
  Step made = {.pc = step->pc, .mask = step->mask, .lanes = step->lanes};
  if (pool->lanes) {
    made.mask = pool->access.mask;
    made.access = add_access(to, &pool->access);
  }
  add_step(to, made);
  pool->lanes = 0;
  pool->share -= pool->share < 1 ? pool->share : 1;
}

static void merge_step(WarpSteps *to, const WarpSteps *from, Merging *merging, const Step *step) {
  MemoryAccess access;
  uint32_t lanes = (uint32_t)__builtin_popcount(step->mask);
  Pool *pool = pool_at(merging, step->pc);
  pool->share += (double)lanes / step->lanes;
  if (step->access) {
    read_access(&from->accesses[step->access - 1], &access);
    if (pool->lanes + lanes > WARP_LANES) empty_pool(to, pool, step);
    pool_access(pool, &access);
  }
  if (pool->share > 0.999) empty_pool(to, pool, step);
}

static void keep_step(WarpSteps *to, const WarpSteps *from, const Step *step) {
  MemoryAccess access;
  Step kept = *step;
  if (step->access) {
    read_access(&from->accesses[step->access - 1], &access);
    kept.access = add_access(to, &access);
  }
  add_step(to, kept);
}

static bool is_partial(const Step *step) {
  return step->mask && __builtin_popcount(step->mask) < step->lanes;
}

// What is left in the pools at the end of the warp has to be accessed, too.
static void flush_pools(WarpSteps *to, Merging *merging, uint32_t code_count) {
  for (uint32_t pc = 0; pc < code_count; pc++) {
    if (!merging->pool_of[pc]) continue;
    Pool *pool = pool_at(merging, pc);
    if (pool->lanes) empty_pool(to, pool, &(Step){.pc = pc, .mask = pool->access.mask});
  }
}

static void merge_steps(WarpSteps *warp, const Program *program) {
  WarpSteps made = {0};
  Merging merging = {.pool_of = memory_alloc(sizeof(uint32_t) * (program->code_count + 1))};
  for (uint32_t i = 0; i < warp->count; i++) {
    const Step *step = &warp->steps[i];
    const Instruction *in = &program->code[step->pc];
    Opcode op = in->form.op;
    if (i + 1 == warp->count) flush_pools(&made, &merging, program->code_count);
    // Atomics wait for each other rather than for their warp: merging would only delay them.
    bool is_kept = is_barrier(in) || op == OP_ATOM || op == OP_RED;
    if (is_partial(step) && !is_kept && i + 1 < warp->count)
      merge_step(&made, warp, &merging, step);
    else
      keep_step(&made, warp, step);
  }
  memory_free(merging.pool_of);
  memory_free(merging.pools);
  warp_steps_clear(warp);
  *warp = made;
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
                      .barrier_threads = step->barrier.threads};
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
  for (uint32_t w = 0; options.no_divergence && w < cta->warp_count; w++)
    merge_steps(&recorded->warps[w], cta->launch->program);
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
