// SPDX-License-Identifier: MIT
// Execution without timing. As many CTAs are resident as on the timed machine, and take turns:
// kernels that wait for other CTAs (grid barriers, locks) then make progress under the same
// conditions.
#include "functional/functional.h"

#include "base/memory.h"
#include "exec/barrier.h"
#include "exec/cluster.h"
#include "exec/memory/store_queue.h"
#include "exec/watch.h"

// Instructions a warp runs before another one's turn: long enough to stay in
// the host's caches, short enough that a spinning warp does not hold up all.
enum { SLICE_INSTRUCTIONS = 4096 };
// Before it, all warps of the CTA run so many, as on hardware, where none is far ahead of the
// others behind a barrier. Programs rely on it: they read a sum in shared memory behind a barrier
// and begin the next sum there without another one.
enum { FIRST_INSTRUCTIONS = 16 };
// Turns, which end at barriers, of an independent CTA before another one's: should it wait for
// others all the same, they get theirs.
enum { PATIENCE_TURNS = 1024 };

// Most that one read of the clock skips.
enum { LONGEST_SKIP = 1 << 20 };

// A resident CTA with its memory, which the next CTA in its place takes over.
typedef struct Resident {
  Cta cta;
  Warp *warps;
  uint8_t *shared;
  bool is_running;
} Resident;

// What a launch and all that it launches have in common.
typedef struct Tree {
  uint64_t budget;     // warp instructions left
  uint64_t ctas_left;  // that may end
  uint64_t next_grid;  // number of the next kernel
} Tree;

typedef struct Run {
  Tree *tree;
  ExecContext *context;
  Launch *launch;
  const FunctionalOptions *options;
  Error *err;
  Resident *residents;
  uint32_t resident_count;
  uint64_t next_cta, running;
  uint64_t turns;     // of CTAs
  bool has_released;  // a warp all others at a barrier of the CTA, in its turn
  Launch **tails;     // that come when all else is over
  uint32_t tail_count, tail_capacity;
} Run;

static Status run_grid(Tree *tree, ExecContext *context, Launch *launch,
                       const FunctionalOptions *options, Error *err);

static void start_cta(Run *run, Resident *resident, uint64_t linear) {
  uint32_t warp_count = launch_warps_per_cta(run->launch);
  if (!resident->warps) {
    resident->warps = memory_alloc(sizeof(Warp) * warp_count);
    resident->shared = memory_alloc(launch_shared_bytes(run->launch) + 1);
  }
  uint32_t slot = (uint32_t)(resident - run->residents) / run->options->sm_count;
  cta_start(&resident->cta, run->launch, linear, resident->shared, resident->warps,
            slot * warp_count);
  resident->is_running = true;
  run->next_cta++;
  run->running++;
}

// The CTAs of a cluster start together, when there is room for all of them.
static void start_cluster(Run *run) {
  uint32_t size = launch_cluster_size(run->launch), free = 0, rank = 0;
  for (uint32_t r = 0; r < run->resident_count; r++) free += !run->residents[r].is_running;
  if (free < size) return;
  CtaCluster *cluster = memory_alloc(sizeof *cluster);
  cluster->size = size;
  uint64_t index = run->next_cta / size;
  for (uint32_t r = 0; r < run->resident_count && rank < size; r++) {
    Resident *resident = &run->residents[r];
    if (resident->is_running) continue;
    start_cta(run, resident, launch_cluster_cta(run->launch, index, rank));
    cluster_join(cluster, &resident->cta, rank++);
  }
}

static void start_next(Run *run, Resident *resident) {
  if (launch_cluster_size(run->launch) > 1)
    start_cluster(run);
  else
    start_cta(run, resident, run->next_cta);
}

static void leave_cluster(Resident *resident) {
  CtaCluster *cluster = resident->cta.cluster;
  if (cluster && cluster_leave(&resident->cta)) memory_free(cluster);
}

static Status warp_failed(Run *run, const Warp *warp) {
  return fault_report(run->context, warp, run->err);
}

static bool reads_clock(const Instruction *in) {
  uint32_t special = in->special[0];
  return special >= SPECIAL_CLOCK && special <= SPECIAL_GLOBALTIMER_HI;
}

// Reads of the clock with nothing but arithmetic between them wait for a time, which has no
// meaning here: each lets twice as much pass.
static uint64_t time_skipped(const Instruction *in, uint64_t *wait) {
  if (!reads_clock(in)) return 0;
  uint64_t skipped = *wait;
  *wait = skipped ? skipped < LONGEST_SKIP ? 2 * skipped : skipped : 1;
  return skipped;
}

// Whether the last warp has arrived at a barrier of its CTA.
static bool has_released(const Warp *warp, const Instruction *in) {
  bool is_barrier = in->form.op == OP_BAR || in->form.op == OP_BARRIER;
  return is_barrier && in->form.mode != MODE_WARP && warp->state == WARP_RUNNING;
}

// Runs a warp until it waits, ends, fails or has run `most` instructions, fewer behind a barrier
// whose others it releases. A loop around a wait for an mbarrier or a nanosleep would only fill the
// slice.
static Status run_warp(Run *run, Warp *warp, uint64_t most) {
  ExecContext *context = run->context;
  void (*accessed)(void *, const Warp *, const MemoryAccess *) = run->options->accessed;
  bool is_watched = context->watch;
  uint64_t before = warp->instructions, wait = 0;
  uint64_t slice = run->tree->budget < most ? run->tree->budget : most;
  for (uint64_t i = 0; i < slice && warp->state == WARP_RUNNING; i++) {
    uint32_t active;
    const Instruction *in = warp_step(context, warp, &active);
    bool has_waited = context->has_waited || context->sleep;
    wait = context->access.mask ? 0 : wait;
    context->clock += 1 + context->sleep + (in->special[0] ? time_skipped(in, &wait) : 0);
    context->sleep = 0, context->has_waited = false;
    if (context->fault.kind) break;
    if (context->stores && context->stores->count) store_queue_apply(context->stores);
    if (is_watched) watch_step(context, warp, in, active);
    bool is_told = accessed && context->access.mask;
    if (is_told) accessed(run->options->self, warp, &context->access);
    if (has_waited || (is_told && run->options->yields)) break;
    if (accessed || !has_released(warp, in)) continue;
    run->has_released = true;
    if (slice > i + FIRST_INSTRUCTIONS) slice = i + FIRST_INSTRUCTIONS;
  }
  run->tree->budget -= warp->instructions - before;
  if (context->fault.kind) return warp_failed(run, warp);
  if (run->tree->budget == 0)
    return error_set(run->err, ERR_LIMIT, "kernel %s: stopped after %llu warp instructions",
                     function_title(run->launch->kernel),
                     (unsigned long long)run->options->max_instructions);
  return OK;
}

// ---- kernels that the kernel launches

static Status run_child(Run *run, Launch *child) {
  const FunctionalOptions *options = run->options;
  child->grid_id = run->tree->next_grid++;
  run->context->runtime->pending_count--;
  uint32_t warps_per_sm = run->context->warps_per_sm;
  Status status = run_grid(run->tree, run->context, child, options, run->err);
  run->context->warps_per_sm = warps_per_sm;
  if (options->child_completed) options->child_completed(options->self, child);
  return status;
}

// The CTA that launched it may wait for it.
static void emit_cta(Run *run, const Launch *child) {
  for (uint32_t r = 0; r < run->resident_count; r++)
    if (run->residents[r].is_running && run->residents[r].cta.linear == child->origin.parent_cta)
      cta_child_completed(&run->residents[r].cta);
}

// Runs what has been launched so far, in order, but for tail launches.
// Recursion: a child may launch, too. The list is taken over first, since running a child
// refills it.
static Status run_launched(Run *run) {
  DeviceRuntime *runtime = run->context->runtime;
  device_runtime_settle(runtime, run->context->memory);
  exec_forget_allocations(run->context);
  Launch **made = runtime->made;
  uint32_t count = runtime->made_count;
  runtime->made = NULL;
  runtime->made_count = runtime->made_capacity = 0;
  Status status = OK;
  for (uint32_t i = 0; i < count; i++) {
    if (made[i]->is_tail) {
      GROW(run->tails, run->tail_count, run->tail_capacity);
      run->tails[run->tail_count++] = made[i];
      continue;
    }
    if (status == OK) status = run_child(run, made[i]);
    emit_cta(run, made[i]);
    launch_destroy(made[i]);
  }
  memory_free(made);
  return status;
}

static Status run_tails(Run *run, Status status) {
  for (uint32_t i = 0; i < run->tail_count; i++) {
    if (status == OK) status = run_child(run, run->tails[i]);
    launch_destroy(run->tails[i]);
  }
  memory_free(run->tails);
  return status;
}

// Whether all that the CTA can still do is to wait for its children.
static bool awaits_children(const Cta *cta) {
  bool waits = false;
  for (uint32_t w = 0; w < cta->warp_count; w++) {
    if (cta->warps[w].state == WARP_RUNNING) return false;
    waits |= cta->warps[w].state == WARP_AT_CHILDREN;
  }
  return waits;
}

// With time some would have begun by now. Were children to wait for the end of
// their parents, a large grid that launches from every CTA would fill the pool.
static bool is_pool_half_full(const Run *run) {
  const DeviceRuntime *runtime = run->context->runtime;
  return runtime->made_count && runtime->pending_count >= (runtime->limits.pending + 1) / 2;
}

// ---- the kernel itself

static Status run_warps(Run *run, Cta *cta, uint64_t most) {
  for (uint32_t w = 0; w < cta->warp_count; w++)
    if (cta->warps[w].state == WARP_RUNNING)
      TRY(run_warp(run, &cta->warps[w], run->has_released ? FIRST_INSTRUCTIONS : most));
  return OK;
}

// Who is told of accesses gets them in the order of long slices.
static Status run_turn(Run *run, Resident *resident) {
  Cta *cta = &resident->cta;
  uint64_t place =
      run->options->is_independent ? cta->linear : (uint64_t)(resident - run->residents);
  run->context->sm_id = (uint32_t)(place % run->options->sm_count);
  run->has_released = false;
  if (!run->options->accessed && cta->warp_count > 1) TRY(run_warps(run, cta, FIRST_INSTRUCTIONS));
  if (!run->has_released) TRY(run_warps(run, cta, SLICE_INSTRUCTIONS));
  if (awaits_children(cta) || is_pool_half_full(run)) return run_launched(run);
  if (cta_is_hung(cta)) return cta_report_hang(cta, run->err);
  return OK;
}

static void count_cta(Run *run, Resident *resident) {
  for (uint32_t w = 0; w < resident->cta.warp_count; w++) {
    run->launch->warp_instructions += resident->warps[w].instructions;
    run->launch->thread_instructions += resident->warps[w].thread_instructions;
  }
  resident->is_running = false;
  run->running--;
  leave_cluster(resident);
}

// Asking the host's clock after every turn would cost more than the turn.
static void report_progress(Run *run) {
  enum { TURNS = 64 };
  if (run->options->progress && ++run->turns % TURNS == 0)
    run->options->progress(run->options->self, run->launch, run->next_cta - run->running);
}

static Status stopped_by_ctas(const Run *run) {
  return error_set(run->err, ERR_LIMIT, "kernel %s: stopped after %llu CTAs",
                   function_title(run->launch->kernel), (unsigned long long)run->options->max_ctas);
}

// Children are executed whole.
static uint64_t end_cta(const Run *run) {
  bool is_part = run->options->end_cta && !run->launch->origin.has_parent;
  return is_part ? run->options->end_cta : launch_cta_count(run->launch);
}

static Status stopped_by_host(const Run *run) {
  return error_set(run->err, ERR_INTERRUPTED, "stopped in kernel %s: %llu of %llu CTAs done",
                   function_title(run->launch->kernel),
                   (unsigned long long)(run->next_cta - run->running),
                   (unsigned long long)end_cta(run));
}

static void end_of_cta(Run *run, Resident *resident) {
  uint64_t before = run->launch->warp_instructions;
  count_cta(run, resident);
  if (run->options->cta_completed)
    run->options->cta_completed(run->options->self, resident->cta.linear,
                                run->launch->warp_instructions - before);
  run->launch->ctas++;
  run->tree->ctas_left--;
  device_runtime_end_cta(run->context->runtime, run->launch, resident->cta.linear);
}

// So many turns of a CTA in one place; the one that follows it there has as many.
static Status run_place(Run *run, Resident *resident, uint64_t total, uint32_t turns) {
  for (uint32_t left = turns; left > 0; left--) {
    if (!resident->is_running && run->next_cta < total) start_next(run, resident);
    if (!resident->is_running) return OK;
    if (!run->tree->ctas_left) return stopped_by_ctas(run);
    if (run->options->stop && *run->options->stop) return stopped_by_host(run);
    TRY(run_turn(run, resident));
    report_progress(run);
    if (resident->cta.live_warps) continue;
    end_of_cta(run, resident);
    if (turns > 1) left = turns + 1;
  }
  return OK;
}

static Status run_all(Run *run) {
  uint64_t total = end_cta(run);
  uint32_t turns = run->options->is_independent ? PATIENCE_TURNS : 1;
  while (run->next_cta < total || run->running)
    for (uint32_t r = 0; r < run->resident_count; r++)
      TRY(run_place(run, &run->residents[r], total, turns));
  return OK;
}

static void release(Run *run) {
  for (uint32_t r = 0; r < run->resident_count; r++) {
    Resident *resident = &run->residents[r];
    if (resident->is_running) count_cta(run, resident);
    for (uint32_t w = 0; resident->warps && w < launch_warps_per_cta(run->launch); w++)
      warp_clear(&resident->warps[w]);
    memory_free(resident->warps);
    memory_free(resident->shared);
  }
  memory_free(run->residents);
}

static Status run_grid(Tree *tree, ExecContext *context, Launch *launch,
                       const FunctionalOptions *options, Error *err) {
  Run run = {
      .tree = tree,
      .context = context,
      .launch = launch,
      .options = options,
      .err = err,
  };
  uint64_t most = (uint64_t)options->sm_count * options->ctas_per_sm;
  if (most < launch_cluster_size(launch)) most = launch_cluster_size(launch);
  if (!launch->origin.has_parent) run.next_cta = options->first_cta;
  uint64_t ctas = end_cta(&run) - run.next_cta;
  run.resident_count = (uint32_t)(ctas < most ? ctas : most);
  run.residents = memory_alloc(sizeof(Resident) * run.resident_count);
  context->warps_per_sm = options->ctas_per_sm * launch_warps_per_cta(launch);
  if (options->kernel_start) options->kernel_start(options->self, launch);
  Status status = run_all(&run);
  release(&run);
  run.resident_count = 0;
  device_runtime_end_grid(context->runtime, launch->grid_id);
  if (status == OK) status = run_launched(&run);
  status = run_tails(&run, status);
  launch->is_complete = status == OK;
  return status;
}

Status functional_run(ExecContext *context, Launch *launch, const FunctionalOptions *options,
                      Error *err) {
  Tree tree = {.budget = options->max_instructions ? options->max_instructions : UINT64_MAX,
               .ctas_left = options->max_ctas ? options->max_ctas : UINT64_MAX,
               .next_grid = launch->grid_id + 1};
  DeviceRuntime runtime = {.limits = options->limits};
  context->fault = (Fault){0};
  context->sm_count = options->sm_count;
  context->runtime = &runtime;
  Status status = run_grid(&tree, context, launch, options, err);
  context->runtime = NULL;
  for (uint32_t i = 0; options->refused && i < runtime.refused_count; i++)
    options->refused(options->self, &runtime.refused[i]);
  device_runtime_clear(&runtime);
  return status;
}
