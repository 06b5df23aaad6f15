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
  bool is_after_gap;        // steps before it were merged with others
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

// Of the code of a warp.
typedef struct Merging {
  const WarpSteps *from;
  WarpSteps *to;
  double *shares;     // by pc: of a warp's lanes that have not been replayed
  uint32_t *covered;  // by pc: accesses to come that an earlier one did, too
  uint32_t *next;     // by step: the next access of the same instruction by some lanes; 0: none
} Merging;

// Barriers have all their lanes to wait for. Atomics wait for each other rather than for their
// warp: merging would only delay them. The last step ends the warp.
static bool is_merged(const WarpSteps *warp, const Program *program, uint32_t i) {
  const Step *step = &warp->steps[i];
  const Instruction *in = &program->code[step->pc];
  bool is_partial = step->mask && __builtin_popcount(step->mask) < step->lanes;
  return is_partial && i + 1 < warp->count && !is_barrier(in) && in->form.op != OP_ATOM &&
         in->form.op != OP_RED;
}

static void link_accesses(Merging *merging, const Program *program) {
  uint32_t *last = memory_alloc(sizeof *last * (program->code_count + 1));
  for (uint32_t i = merging->from->count; i-- > 0;) {
    const Step *step = &merging->from->steps[i];
    if (!step->access || !is_merged(merging->from, program, i)) continue;
    merging->next[i] = last[step->pc];
    last[step->pc] = i;
  }
  memory_free(last);
}

// Adds the addresses of an access to the lowest free lanes of another.
static void join_access(MemoryAccess *to, const MemoryAccess *access, uint32_t count) {
  for (uint32_t left = access->mask; left; left &= left - 1, count++) {
    uint32_t lane = (uint32_t)__builtin_ctz(left), bit = 1u << count;
    to->address[count] = access->address[lane];
    to->mask |= bit;
    if (access->generic_shared >> lane & 1) to->generic_shared |= bit;
    if (access->generic_local >> lane & 1) to->generic_local |= bit;
  }
}

// With the first, later ones of the same instruction are done that fit into the warp: none comes
// later than without.
static void merge_access(Merging *merging, uint32_t i) {
  const Step *step = &merging->from->steps[i];
  MemoryAccess made, more;
  uint32_t count = 0, lanes = step->lanes;
  if (merging->covered[step->pc]) {
    merging->covered[step->pc]--;
    return;
  }
  for (uint32_t k = i; k == i || k; k = merging->next[k]) {
    read_access(&merging->from->accesses[merging->from->steps[k].access - 1], &more);
    uint32_t own = (uint32_t)__builtin_popcount(more.mask);
    if (k != i && count + own > lanes) break;
    if (k == i)
      made = (MemoryAccess){.space = more.space,
                            .bytes = more.bytes,
                            .write = more.write,
                            .atomic = more.atomic};
    else
      merging->covered[step->pc]++;
    join_access(&made, &more, count);
    count += own;
  }
  add_step(merging->to, (Step){.pc = step->pc,
                               .mask = made.mask,
                               .lanes = step->lanes,
                               .access = add_access(merging->to, &made)});
}

static void merge_step(Merging *merging, uint32_t i) {
  const Step *step = &merging->from->steps[i];
  if (step->access) {
    merge_access(merging, i);
    return;
  }
  double *share = &merging->shares[step->pc];
  *share += (double)__builtin_popcount(step->mask) / step->lanes;
  if (*share < 0.999) return;
  *share = *share < 1 ? 0 : *share - 1;
  add_step(merging->to, (Step){.pc = step->pc, .mask = step->mask, .lanes = step->lanes});
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

static void merge_steps(WarpSteps *warp, const Program *program) {
  WarpSteps made = {0};
  size_t code = program->code_count + 1;
  Merging merging = {.from = warp,
                     .to = &made,
                     .shares = memory_alloc(sizeof(double) * code),
                     .covered = memory_alloc(sizeof(uint32_t) * code),
                     .next = memory_alloc(sizeof(uint32_t) * (warp->count + 1))};
  bool has_gap = false;
  link_accesses(&merging, program);
  for (uint32_t i = 0; i < warp->count; i++) {
    uint32_t before = made.count;
    if (is_merged(warp, program, i))
      merge_step(&merging, i);
    else
      keep_step(&made, warp, &warp->steps[i]);
    if (made.count > before) made.steps[before].is_after_gap = has_gap;
    has_gap = made.count == before;
  }
  memory_free(merging.shares);
  memory_free(merging.covered);
  memory_free(merging.next);
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
