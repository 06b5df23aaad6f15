// SPDX-License-Identifier: MIT
// Runs launches on the GPU or functionally, and enforces --max-cycles and the other limits.
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
  if (options->sample) sampler_init(&engine->sampler, options->sample, config, result);
  engine->sampler.stop = options->machine.stop;
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

// Launches in flight complete before the one beyond the limit is refused.
static Status may_launch(Engine *engine, const Launch *launch, Error *err) {
  uint64_t most = engine->config->run.max_launches;
  if (!most || launch->number < most) return OK;
  while (!engine_is_idle(engine)) TRY(engine_advance(engine, NEVER, err));
  return error_set(err, ERR_LIMIT, "stopped after %llu launches", (unsigned long long)most);
}

// ---- making

// Told by the GPU.
static void kernel_completed(void *self, Launch *launch);

static Status observe(void *gpu, const ObserverType *type, const char *spec, Error *err) {
  return gpu_observe(gpu, type, spec, err);
}

// A run is checked or recorded, not both (make_check).
static const ExecWatch *watch_of(const Engine *engine) {
  if (engine->options.recorder) return recorder_watch(engine->options.recorder);
  return engine->races ? races_watch(engine->races) : NULL;
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
  if (watch_of(engine)) machine.threads = 1;  // a watcher follows one order of execution
  TRY(gpu_create(&engine->gpu, &config, &machine, err));
  if (watch_of(engine)) gpu_set_watch(engine->gpu, watch_of(engine));
  gpu_set_print(engine->gpu, print, engine);
  gpu_set_textures(engine->gpu, engine->textures);
  gpu_number_kernels(engine->gpu, (uint32_t)engine->result->total.launches);
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
  if (engine->options.recorder)
    return error_set(err, ERR_USAGE, "--check %s: not while the run is recorded; use heddle run",
                     engine->options.check);
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
                                  .watch = watch_of(engine),
                                  .print = print,
                                  .print_sink = engine,
                                  .sm_count = config->gpu.sm_count,
                                  .warps_per_sm = config->sm.max_warps};
  return OK;
}

static void give_back(Engine *engine) {
  if (engine->options.recorder) recorder_reset(engine->options.recorder);
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

// Only in the first life of a device: after a reset nothing is left out.
static Status begin_forwarding(Engine *engine, Error *err) {
  if (engine->has_opened) return OK;
  engine->has_opened = true;
  return forwarding_begin(&engine->forwarding, &engine->options.forward, err);
}

Status engine_open(Engine *engine, Error *err) {
  Status status = begin_forwarding(engine, err);
  if (status == OK) status = make(engine, err);
  if (status != OK) give_back(engine);
  return status;
}

void engine_close(Engine *engine) {
  engine_report(engine);
  if (engine->reported) engine->total = *engine->reported;
  engine->has_tables |= engine->gpu_has_run || engine->untimed > 0;
  engine->kept_races = engine->result->races.count;
  sampler_close(&engine->sampler);
  forwarding_clear(&engine->forwarding);
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

// ---- without time

static void child_completed(void *self, Launch *launch) {
  Engine *engine = self;
  launch->ctas_per_sm = sm_max_ctas(&engine->config->sm, launch);
  kernel_results_add(engine->result, engine->config, launch, (Seconds){0}, NULL);
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

static void forward_access(void *self, const Warp *warp, const MemoryAccess *access) {
  Engine *engine = self;
  (void)warp;
  forwarding_access(&engine->forwarding, access);
}

static bool has_watcher(const Engine *engine) {
  return engine->options.progress && engine->options.progress->file;
}

static FunctionalOptions functional_options(Engine *engine, const Limits *left,
                                            uint32_t ctas_per_sm) {
  FunctionalOptions options = {.sm_count = engine->config->gpu.sm_count,
                               // Needs no resources: what does not fit runs one CTA at a time.
                               .ctas_per_sm = ctas_per_sm ? ctas_per_sm : 1,
                               .max_instructions = left->instructions,
                               .max_ctas = left->ctas,
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
  if (!engine->forwarding.is_over) options.accessed = forward_access;
  return options;
}

static void note_launch(Engine *engine, Launch *launch) {
  if (engine->options.choice)
    launched_kernels_note(&engine->launched, launch->kernel, &engine->result->arena);
  if (engine->options.recorder)
    recorder_launch(engine->options.recorder, launch, engine->memory, engine_now(engine),
                    engine_is_idle(engine));
}

static void note_completed(const Engine *engine, Launch *launch) {
  if (engine->options.completed) ++*engine->options.completed;
  if (engine->options.recorder) recorder_completed(engine->options.recorder, launch);
}

// When no launch is in flight, or the run has failed.
static void settle(Engine *engine) {
  RefusedLaunches refused;
  if (engine->races) races_end_launches(engine->races);
  if (engine->options.recorder) recorder_settle(engine->options.recorder);
  warn_of_strays(engine->result, engine->memory, warn, engine);
  while (engine->gpu && gpu_take_refused(engine->gpu, &refused)) note_refused(engine, &refused);
}

// The children's numbers follow its own, also those of kernels that the GPU gets later.
Status engine_run_untimed(Engine *engine, Launch *launch, Error *err) {
  const RunCounts *total = &engine->result->total;
  Limits left = {0};
  TRY(may_launch(engine, launch, err));
  if (engine->options.is_functional) TRY(limits_left(engine, &left, err));
  launch->ctas_per_sm = sm_max_ctas(&engine->config->sm, launch);
  FunctionalOptions options = functional_options(engine, &left, launch->ctas_per_sm);
  note_launch(engine, launch);
  engine->untimed++;
  uint64_t before = total->launches;
  launch->grid_id = engine->gpu ? gpu_next_kernel(engine->gpu) : before;
  Seconds start = seconds_now();
  if (!engine->forwarding.is_over) forwarding_launch(&engine->forwarding, launch);
  Status status = OK;
  if (!forwarding_restores(&engine->forwarding) || engine->forwarding.is_over)
    status = functional_run(&engine->context, launch, &options, err);
  // Kernels may allocate, and the GPU's have looked things up in between.
  engine_forget_allocations(engine);
  kernel_results_add(engine->result, engine->config, launch, seconds_since(start), NULL);
  if (engine->gpu)
    gpu_number_kernels(engine->gpu, (uint32_t)(launch->grid_id + total->launches - before));
  if (has_watcher(engine)) {
    engine->options.progress->kernels = total->launches;
    show_progress(engine, launch, launch->ctas);
  }
  if (status == OK) note_completed(engine, launch);
  if (status != OK || engine_is_idle(engine)) settle(engine);
  return status;
}

// ---- on the GPU

bool engine_is_timed(const Engine *engine, const Launch *launch) {
  const KernelChoice *choice = engine->options.choice;
  if (forwarding_holds(&engine->forwarding, launch, engine->result->total.warp_instructions))
    return false;
  return engine->gpu && (!choice || kernel_choice_has(choice, launch->number, launch->kernel));
}

bool engine_is_idle(const Engine *engine) {
  return !engine->gpu || gpu_is_idle(engine->gpu);
}

Cycle engine_now(const Engine *engine) {
  return engine->gpu ? gpu_now(engine->gpu) : 0;
}

// How a launch on the GPU was sampled: itself, or not at all.
static const KernelSampling *complete_sampling(Engine *engine, Launch *launch) {
  Sampler *sampler = &engine->sampler;
  if (!sampler->is_on) return NULL;
  if (sampler->launch == launch) {
    sampler_complete(sampler, launch);
    return &sampler->sampling;
  }
  sampler_note_whole(sampler, launch,
                     launch->origin.has_parent ? "kernels launched it" : "it overlaps others");
  return NULL;
}

static void kernel_completed(void *self, Launch *launch) {
  Engine *engine = self;
  Seconds own = seconds_since(engine->last);
  engine->last = seconds_now();
  const KernelSampling *sampling = complete_sampling(engine, launch);
  kernel_results_add(engine->result, engine->config, launch, own, sampling);
  if (!launch->origin.has_parent && launch->over)
    note_completed(engine, launch);  // with its result there
  if (has_watcher(engine)) engine->options.progress->kernels = engine->result->total.launches;
}

void engine_note_host_read(Engine *engine) {
  engine->forwarding.host_has_read |= engine->result->total.launches > 0;
}

static Status end_forwarding(Engine *engine, Error *err) {
  return forwarding_end(&engine->forwarding, engine->gpu, engine->result->total.warp_instructions,
                        err);
}

Status engine_submit(Engine *engine, Launch *launch, Error *err) {
  TRY(may_launch(engine, launch, err));
  note_launch(engine, launch);
  engine->gpu_has_run = true;
  TRY(end_forwarding(engine, err));
  gpu_set_pending_launches(engine->gpu, launch_limits(engine).pending);
  return gpu_submit(engine->gpu, launch, err);
}

Status engine_advance(Engine *engine, Cycle until, Error *err) {
  Seconds now = seconds_now();
  engine->last = (Seconds){now.wall - engine->carried.wall, now.cpu - engine->carried.cpu};
  Status status = gpu_run_until(engine->gpu, until, err);
  bool is_over = status != OK || engine_is_idle(engine);
  engine->carried = is_over ? (Seconds){0} : seconds_since(engine->last);
  if (is_over) settle(engine);
  return status;
}

bool engine_samples(const Engine *engine) {
  return engine->sampler.is_on && engine->gpu;
}

static void add_projected(Engine *engine, Launch *launch, Seconds start) {
  engine->gpu_has_run = true;
  note_launch(engine, launch);
  launch->grid_id = gpu_next_kernel(engine->gpu);
  launch->ctas_per_sm = sm_max_ctas(&engine->config->sm, launch);
  kernel_results_add(engine->result, engine->config, launch, seconds_since(start),
                     &engine->sampler.sampling);
  launch->stats = NULL;
  gpu_number_kernels(engine->gpu, (uint32_t)launch->grid_id + 1);
  note_completed(engine, launch);
}

Status engine_run_sampled(Engine *engine, Launch *launch, uint64_t *cycles, Error *err) {
  Sampler *sampler = &engine->sampler;
  TRY(may_launch(engine, launch, err));
  TRY(end_forwarding(engine, err));
  uint64_t before = engine_now(engine) + sampler->added.cycles;
  Seconds start = seconds_now();
  sampler->gpu = engine->gpu;
  sampler->context = &engine->context;
  Status status = OK;
  if (sampler_begin(sampler, launch)) {
    add_projected(engine, launch, start);
    sampler->launch = NULL;
  } else {
    engine->carried = seconds_since(start);
    status = engine_submit(engine, launch, err);
    if (status == OK) status = engine_advance(engine, NEVER, err);
    sampler_end(sampler, status);
  }
  *cycles = engine_now(engine) + sampler->added.cycles - before;
  return status;
}

Status engine_run(Engine *engine, Launch *launch, Error *err) {
  uint64_t cycles;
  if (!engine_is_timed(engine, launch)) return engine_run_untimed(engine, launch, err);
  if (engine_samples(engine)) return engine_run_sampled(engine, launch, &cycles, err);
  TRY(engine_submit(engine, launch, err));
  return engine_advance(engine, NEVER, err);
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
  sampler_report(&engine->sampler, engine->reported);
  result->total_stats = engine->reported;
  result->total_cycles = engine->reported->cycles;
  // Of several GPUs, one after the other, the tables are those of the first.
  if (engine->has_tables || !engine->gpu_has_run) return;
  result_tables_clear(&result->tables);
  stats_tree_clear(&result->policies);
  gpu_report(engine->gpu, &result->tables);
  gpu_report_policies(engine->gpu, &result->policies);
}

static void complain_of_forwarding(Engine *engine) {
  RunResult *result = engine->result;
  result->complaint =
      forwarding_complaint(&engine->forwarding, result->total.launches, &result->arena);
  if (result->complaint) result->complaint_status = ERR_USAGE;
}

void engine_report(Engine *engine) {
  if (engine->races)
    race_results_add(engine->result, engine->races, engine->kept_races, engine->config->gpu.name);
  if (engine->options.is_functional)
    report_untimed(engine);
  else
    report_timed(engine);
  complaint_find(engine->result, engine->options.choice, &engine->launched);
  if (!engine->result->complaint) complain_of_forwarding(engine);
}
