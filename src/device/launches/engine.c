// SPDX-License-Identifier: MIT
#include "device/launches/engine.h"

#include "base/memory.h"
#include "device/process/complaint.h"
#include "device/launches/kernel_results.h"
#include "device/process/race_results.h"
#include "observers/attach/observer_list.h"
#include "device/process/run_warnings.h"

void engine_init(Engine *engine, const GpuConfig *config, RunResult *result,
                 const EngineOptions *options) {
  *engine = (Engine){.config = config, .result = result, .options = *options};
  if (options->is_functional) return;
  result->parts = machine_stats_parts_of(config);
  result->stats_bytes = sizeof(MachineStats);
  engine->reported = ARENA_NEW(&result->arena, MachineStats);
}

static void print(void *self, const char *text, size_t length) {
  const Engine *engine = self;
  if (engine->options.progress) progress_hide(engine->options.progress);
  engine->options.print(engine->options.print_sink, text, length);
}

// ---- limits

typedef struct Limits {
  uint64_t cycles, instructions, ctas;  // 0: none
} Limits;

static Status left_of(uint64_t limit, uint64_t done, const char *what, uint64_t *left, Error *err) {
  *left = limit ? limit - done : 0;
  if (!limit || done < limit) return OK;
  return error_set(err, ERR_LIMIT, "stopped after %llu %s", (unsigned long long)done, what);
}

// Remaining limits for a new GPU or functional execution.
static Status limits_left(const Engine *engine, Limits *left, Error *err) {
  const RunConfig *run = &engine->config->run;
  const RunCounts *all = &engine->result->total;
  bool timed = !engine->options.is_functional;
  uint64_t instructions = timed ? engine->total.sm.warp_instructions : all->warp_instructions;
  TRY(left_of(run->max_instructions, instructions, "warp instructions", &left->instructions, err));
  TRY(left_of(run->max_ctas, timed ? engine->total.sm.ctas : all->ctas, "CTAs", &left->ctas, err));
  return left_of(timed ? run->max_cycles : 0, engine->total.cycles, "cycles", &left->cycles, err);
}

// ---- making

// Told by the GPU.
static void kernel_completed(void *self, KernelRecord *record);

static Status observe(void *gpu, const ObserverType *type, const char *spec, Error *err) {
  return gpu_observe(gpu, type, spec, err);
}

// A GPU that replaces another one gets the remaining limits.
static Status make_gpu(Engine *engine, Error *err) {
  GpuConfig config = *engine->config;
  GpuOptions machine = engine->options.machine;
  Limits left;
  TRY(limits_left(engine, &left, err));
  config.run.max_cycles = left.cycles;
  config.run.max_instructions = left.instructions;
  config.run.max_ctas = left.ctas;
  machine.kernel_completed = kernel_completed;
  machine.kernel_completed_self = engine;
  if (engine->options.progress && engine->options.progress->file) {
    machine.progress = progress_update;
    machine.progress_self = engine->options.progress;
  }
  if (engine->races) machine.threads = 1;  // the check follows one order of execution
  TRY(gpu_create(&engine->gpu, &config, &machine, err));
  if (engine->races) gpu_set_watch(engine->gpu, races_watch(engine->races));
  gpu_set_print(engine->gpu, print, engine);
  gpu_set_textures(engine->gpu, engine->textures);
  engine->memory = gpu_memory(engine->gpu);
  return observer_list_attach(engine->options.observe, engine->options.machine.policies, observe,
                              engine->gpu, err);
}

static void make_memory(Engine *engine) {
  engine->memory = device_memory_create((uint64_t)engine->config->gpu.memory_mb << 20);
  device_memory_set_bounds(engine->memory, engine->config->run.bounds);
}

static Status make_untimed(Engine *engine, Error *err) {
  make_memory(engine);
  return observer_list_attach_untimed(engine->options.observe, engine->options.machine.policies,
                                      &engine->untimed_observers.observers, err);
}

static Status make_check(Engine *engine, Error *err) {
  enum { INDEPENDENT_LANES = 70 };
  RaceOptions options;
  if (!engine->options.check || !*engine->options.check) return OK;
  TRY(race_options_read(&options, engine->options.check, err));
  engine->races =
      races_create(&options, engine->config->gpu.compute_capability >= INDEPENDENT_LANES);
  return OK;
}

static Status make(Engine *engine, Error *err) {
  const GpuConfig *config = engine->config;
  TRY(make_check(engine, err));
  engine->textures = texture_table_create();
  TRY(engine->options.is_functional ? make_untimed(engine, err) : make_gpu(engine, err));
  engine->context = (ExecContext){.memory = engine->memory,
                                  .textures = engine->textures,
                                  .watch = engine->races ? races_watch(engine->races) : NULL,
                                  .print = print,
                                  .print_sink = engine,
                                  .sm_count = config->gpu.sm_count,
                                  .warps_per_sm = config->sm.max_warps};
  return OK;
}

static void give_back(Engine *engine) {
  if (engine->gpu)
    gpu_destroy(engine->gpu);
  else if (engine->memory)
    device_memory_destroy(engine->memory);
  texture_table_destroy(engine->textures);
  races_destroy(engine->races);
  engine->races = NULL;
  observers_clear(&engine->untimed_observers.observers);
  engine->gpu = NULL;
  engine->memory = NULL;
  engine->textures = NULL;
  engine->gpu_has_run = false;
}

Status engine_open(Engine *engine, Error *err) {
  Status status = make(engine, err);
  if (status != OK) give_back(engine);
  return status;
}

void engine_close(Engine *engine) {
  engine_report(engine);
  if (engine->reported) engine->total = *engine->reported;
  engine->has_tables |= engine->gpu_has_run || engine->untimed > 0;
  engine->kept_races = engine->result->races.count;
  give_back(engine);
}

void engine_forget_allocations(Engine *engine) {
  if (engine->gpu) gpu_forget_allocations(engine->gpu);
  exec_forget_allocations(&engine->context);
}

// ---- warnings

static void warn(void *self, const char *text) {
  const Engine *engine = self;
  if (engine->options.progress) progress_hide(engine->options.progress);
  if (engine->options.warn) engine->options.warn(engine->options.warn_sink, text);
}

static DeviceRuntimeLimits launch_limits(const Engine *engine) {
  DeviceRuntimeLimits limits = gpu_runtime_limits(engine->config);
  if (engine->pending_launches) limits.pending = engine->pending_launches;
  return limits;
}

static void note_refused(void *self, const RefusedLaunches *refused) {
  Engine *engine = self;
  DeviceRuntimeLimits limits = launch_limits(engine);
  warn_of_refused(engine->result, refused, &limits, warn, engine);
}

static void note_warnings(Engine *engine) {
  RefusedLaunches refused;
  warn_of_strays(engine->result, engine->memory, warn, engine);
  while (engine->gpu && gpu_take_refused(engine->gpu, &refused)) note_refused(engine, &refused);
}

// ---- without time

static void child_completed(void *self, const Launch *launch, const FunctionalStats *stats) {
  Engine *engine = self;
  kernel_results_add_functional(engine->result, engine->config, launch, 0, stats, true,
                                (Seconds){0});
}

static void show_progress(void *self, const Launch *launch, uint64_t ctas_done) {
  Engine *engine = self;
  GpuProgress now = {.kernel = function_title(launch->kernel),
                     .kernel_index = (uint32_t)launch->grid_id,
                     .warp_instructions = engine->context.clock,
                     .ctas_done = ctas_done,
                     .cta_count = launch_cta_count(launch)};
  progress_update(engine->options.progress, &now);
}

static void observe_start(void *self, const Launch *launch) {
  Engine *engine = self;
  untimed_observers_start(&engine->untimed_observers, launch, engine->config->gpu.sm_count);
}

static void observe_access(void *self, const Warp *warp, const MemoryAccess *access) {
  Engine *engine = self;
  untimed_observers_access(&engine->untimed_observers, warp, access);
}

static bool has_watcher(const Engine *engine) {
  return engine->options.progress && engine->options.progress->file;
}

static Status run_untimed(Engine *engine, const EngineLaunch *wanted, Error *err) {
  Launch *launch = wanted->launch;
  const GpuConfig *config = engine->config;
  // Functional execution needs no resources: a kernel that does not fit runs one CTA at a time.
  uint32_t ctas_per_sm = sm_max_ctas(&config->sm, launch);
  Limits left = {0};
  if (engine->options.is_functional) TRY(limits_left(engine, &left, err));
  FunctionalOptions options = {.sm_count = config->gpu.sm_count,
                               .ctas_per_sm = ctas_per_sm ? ctas_per_sm : 1,
                               .max_instructions = left.instructions,
                               .max_ctas = left.ctas,
                               .stop = engine->options.machine.stop,
                               .limits = launch_limits(engine),
                               .child_completed = child_completed,
                               .refused = note_refused,
                               .progress = has_watcher(engine) ? show_progress : NULL,
                               .self = engine};
  if (engine->untimed_observers.observers.count) {
    options.kernel_start = observe_start;
    options.accessed = observe_access;
  }
  FunctionalStats stats = {0};
  uint64_t before = engine->result->total.warp_instructions;
  Seconds start = seconds_now();
  launch->grid_id = engine->result->total.launches;
  Status status = functional_run(&engine->context, launch, &options, &stats, err);
  // Kernels may allocate, and the GPU's have looked things up in between.
  engine_forget_allocations(engine);
  kernel_results_add_functional(engine->result, config, launch, wanted->number, &stats,
                                status == OK, seconds_since(start));
  engine->untimed_cycles += engine->result->total.warp_instructions - before;
  if (has_watcher(engine)) {
    engine->options.progress->kernels = engine->result->total.launches;
    show_progress(engine, launch, stats.ctas);
  }
  return status;
}

// ---- on the GPU

static Cycle clock_of(const Engine *engine) {
  return engine->untimed_cycles + (engine->gpu ? gpu_now(engine->gpu) : 0);
}

static void count_completed(const Engine *engine) {
  if (engine->options.completed) ++*engine->options.completed;
}

static void kernel_completed(void *self, KernelRecord *record) {
  Engine *engine = self;
  Seconds now = seconds_now();
  Seconds own = {now.wall - engine->last.wall, now.cpu - engine->last.cpu};
  uint32_t place = record->id - engine->group_first;
  engine->last = now;
  EngineLaunch *launch = place < engine->group_count ? engine->group[place] : NULL;
  if (launch && record->over)
    launch->ended = engine->untimed_cycles + record->over - engine->started;
  kernel_results_add(engine->result, engine->config, record, launch ? launch->number : 0, own);
  if (launch && record->over) count_completed(engine);  // after its record has been written
  if (has_watcher(engine)) engine->options.progress->kernels = engine->result->total.launches;
}

static Status run_timed(Engine *engine, EngineLaunch **group, uint32_t count, Error *err) {
  engine->group = group;
  engine->group_count = count;
  engine->group_first = (uint32_t)engine->result->total.launches;
  engine->last = seconds_now();
  engine->gpu_has_run = true;
  gpu_number_kernels(engine->gpu, engine->group_first);
  gpu_set_pending_launches(engine->gpu, launch_limits(engine).pending);
  for (uint32_t i = 0; i < count; i++) TRY(gpu_submit(engine->gpu, group[i]->launch, err));
  return gpu_run(engine->gpu, err);
}

// ---- both

static bool is_timed(const Engine *engine, const EngineLaunch *launch) {
  const KernelChoice *choice = engine->options.choice;
  if (!engine->gpu) return false;
  return !choice || kernel_choice_has(choice, launch->number, launch->launch->kernel);
}

// Whether one before it in its stream is still to run: any, or one without time.
static bool has_before(const Engine *engine, const EngineLaunch *launches, uint32_t i,
                       bool only_untimed) {
  for (uint32_t b = 0; b < i; b++)
    if (!launches[b].is_done &&
        launches[b].launch->origin.stream == launches[i].launch->origin.stream &&
        !(only_untimed && is_timed(engine, &launches[b])))
      return true;
  return false;
}

static Status run_untimed_ones(Engine *engine, EngineLaunch *launches, uint32_t count, Error *err) {
  for (uint32_t i = 0; i < count; i++) {
    EngineLaunch *it = &launches[i];
    if (it->is_done || is_timed(engine, it) || has_before(engine, launches, i, false)) continue;
    it->is_done = true;
    engine->untimed++;
    TRY(run_untimed(engine, it, err));
    it->ended = clock_of(engine) - engine->started;
    count_completed(engine);
  }
  return OK;
}

// Those of several streams together.
static Status run_timed_ones(Engine *engine, EngineLaunch *launches, uint32_t count,
                             EngineLaunch **group, Error *err) {
  uint32_t chosen = 0;
  for (uint32_t i = 0; i < count; i++)
    if (!launches[i].is_done && is_timed(engine, &launches[i]) &&
        !has_before(engine, launches, i, true))
      group[chosen++] = &launches[i];
  for (uint32_t i = 0; i < chosen; i++) group[i]->is_done = true;
  engine->timed += chosen;
  return chosen ? run_timed(engine, group, chosen, err) : OK;
}

static bool are_done(const EngineLaunch *launches, uint32_t count) {
  while (count && launches[count - 1].is_done) count--;
  return !count;
}

Status engine_run(Engine *engine, EngineLaunch *launches, uint32_t count, Error *err) {
  EngineLaunch **group = memory_alloc(sizeof *group * count);
  Status status = OK;
  engine->started = clock_of(engine);
  for (uint32_t i = 0; i < count; i++) {
    launches[i].is_done = false, launches[i].ended = 0;
    if (engine->options.choice)
      launched_kernels_note(&engine->launched, launches[i].launch->kernel, &engine->result->arena);
  }
  while (status == OK && !are_done(launches, count)) {
    status = run_untimed_ones(engine, launches, count, err);
    if (status == OK) status = run_timed_ones(engine, launches, count, group, err);
  }
  engine->group_count = 0;
  if (engine->races) races_end_launches(engine->races);
  note_warnings(engine);
  memory_free(group);
  return status;
}

FaultKind engine_fault(const Engine *engine) {
  if (engine->context.fault.kind) return engine->context.fault.kind;
  return engine->gpu ? gpu_fault(engine->gpu) : FAULT_NONE;
}

// ---- results

static void report_untimed(Engine *engine) {
  const Observers *observers = &engine->untimed_observers.observers;
  RunResult *result = engine->result;
  if (engine->has_tables || !observers->count) return;
  result_tables_clear(&result->tables);
  stats_tree_clear(&result->policies);
  observers_deliver(observers);
  observers_report(observers, &result->tables);
  observers_report_stats(observers, &result->policies);
}

static void report_timed(Engine *engine) {
  RunResult *result = engine->result;
  *engine->reported = engine->total;
  if (engine->gpu_has_run)
    stats_sum(engine->reported, gpu_total(engine->gpu), sizeof *engine->reported);
  result->total_stats = engine->reported;
  result->total_cycles = engine->reported->cycles;
  // Of several GPUs, one after the other, the tables are those of the first.
  if (engine->has_tables || !engine->gpu_has_run) return;
  result_tables_clear(&result->tables);
  stats_tree_clear(&result->policies);
  gpu_report(engine->gpu, &result->tables);
  gpu_report_policies(engine->gpu, &result->policies);
}

void engine_report(Engine *engine) {
  if (engine->races)
    race_results_add(engine->result, engine->races, engine->kept_races, engine->config->gpu.name);
  if (engine->options.is_functional)
    report_untimed(engine);
  else
    report_timed(engine);
  complaint_find(engine->result, engine->options.choice, &engine->launched);
}
