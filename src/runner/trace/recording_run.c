// SPDX-License-Identifier: MIT
// Kernels are handed to the GPU at the same points as when they were recorded: when it is idle,
// when as many others have completed, or, where copies or events of other streams decided, at the
// same time after the first of them.
#include "runner/trace/recording_run.h"

#include <string.h>

#include "base/memory.h"
#include "base/text/terminal.h"
#include "exec/replay.h"
#include "runner/local_run.h"
#include "runner/trace/recorded_code.h"
#include "trace/recording_reader.h"

typedef struct ReplayedKernel {
  Launch launch;
  Replay replay;
  RecordedSteps *steps;
  const Instruction *code;
  uint8_t *params;
} ReplayedKernel;

typedef struct Replayed {
  const char *path;
  Recording *recording;
  const RecordingContents *contents;
  Program **programs;  // by module; NULL: not compiled yet
  ReplayedKernel **kernels;
  uint32_t released;  // kernels below it have completed
} Replayed;

// ---- steps

// Device addresses have 48 bits.
enum { ADDRESS_BITS = 48 };

typedef struct WarpSteps {
  RecordedWarp *warp;
  const Instruction *code;
} WarpSteps;

static void *open_warp(void *self, uint64_t cta, uint32_t warp) {
  const ReplayedKernel *kernel = self;
  WarpSteps *steps = memory_alloc(sizeof *steps);
  *steps = (WarpSteps){recorded_warp_open(kernel->steps, cta, warp), kernel->code};
  return steps;
}

static void close_warp(void *self) {
  WarpSteps *steps = self;
  recorded_warp_close(steps->warp);
  memory_free(steps);
}

// What the machine takes for granted of an instruction's accesses. A hostile file may say anything.
static bool is_possible(const Instruction *in, const StepAccess *access, const uint64_t *address) {
  bool is_constant = access->space == SPACE_CONST || access->space == SPACE_PARAM;
  uint64_t bits = 0;
  for (int i = 0; i < WARP_LANES; i++) bits |= address[i];  // the others are of earlier steps
  if (bits >> ADDRESS_BITS) return false;
  if (access->is_atomic && in->form.op != OP_ATOM && in->form.op != OP_RED) return false;
  if (is_constant && (access->is_write || in->form.space != access->space)) return false;
  return access->space != SPACE_TEXTURE || opcode_info[in->form.op].family == FAMILY_TEXTURE;
}

static bool next_step(void *self, ReplayStep *step) {
  const WarpSteps *steps = self;
  Step recorded = {0};
  MemoryAccess *to = &step->access;
  if (!recorded_warp_next(steps->warp, &recorded, to->address)) return false;
  step->pc = recorded.pc;
  step->mask = recorded.mask;
  step->barrier = recorded.barrier;
  step->barrier_threads = recorded.barrier_threads;
  to->mask = recorded.access.mask;
  if (!to->mask) return true;
  if (!is_possible(&steps->code[step->pc], &recorded.access, to->address)) {
    recorded_warp_refuse(steps->warp);
    return false;
  }
  to->generic_shared = recorded.access.shared;
  to->generic_local = recorded.access.local;
  to->space = recorded.access.space;
  to->bytes = recorded.access.bytes;
  to->write = recorded.access.is_write;
  to->atomic = recorded.access.is_atomic;
  return true;
}

// ---- kernels

static Status compile(Replayed *replayed, uint32_t module, Program **program, Error *err) {
  if (!replayed->programs[module])
    TRY(recorded_code_compile(&replayed->programs[module], replayed->recording,
                              &replayed->contents->modules[module], replayed->path, err));
  *program = replayed->programs[module];
  return OK;
}

static Status fill(Replayed *replayed, ReplayedKernel *kernel, const RecordedKernel *recorded,
                   const GpuConfig *config, Error *err) {
  Program *program;
  TRY(compile(replayed, recorded->module, &program, err));
  const Function *function = program_find_kernel(program, recorded->name);
  if (!function)
    return error_set(err, ERR_SYNTAX, "%s: damaged: its code has no kernel %.200s", replayed->path,
                     recorded->name);
  if (recorded->registers) program->functions[function->index].registers = recorded->registers;
  kernel->params = memory_alloc(function->param_bytes + 1u);
  TRY(launch_init(&kernel->launch, program, function, recorded->grid, recorded->block,
                  kernel->params, recorded->dynamic_shared_bytes,
                  config->run.stack_bytes_per_thread, err));
  TRY(recorded_steps_open(&kernel->steps, replayed->recording, recorded, program->code_count, err));
  kernel->code = program->code;
  kernel->replay =
      (Replay){.self = kernel, .open = open_warp, .next = next_step, .close = close_warp};
  kernel->launch.replay = &kernel->replay;
  kernel->launch.local_bytes = recorded->local_bytes;
  kernel->launch.origin.stream = recorded->stream;
  kernel->launch.origin.priority = recorded->priority;
  return OK;
}

static void destroy_kernel(ReplayedKernel *kernel) {
  if (!kernel) return;
  recorded_steps_close(kernel->steps);
  memory_free(kernel->params);
  memory_free(kernel);
}

static Status load(Replayed *replayed, uint32_t number, const Engine *engine, Error *err) {
  ReplayedKernel *kernel = memory_alloc(sizeof *kernel);
  replayed->kernels[number] = kernel;
  TRY(fill(replayed, kernel, &replayed->contents->kernels[number], engine->config, err));
  kernel->launch.number = number;
  return OK;
}

// ---- when kernels begin

// Runs what is in flight until it is idle.
static Status finish(Engine *engine, Error *err) {
  while (!engine_is_idle(engine)) TRY(engine_advance(engine, NEVER, err));
  return OK;
}

// Kernels of the host that have completed since number `first`.
static uint64_t count_completed(const Replayed *replayed, uint32_t first, uint32_t end) {
  uint64_t count = 0;
  for (uint32_t i = first; i < end; i++) count += replayed->kernels[i]->launch.over != 0;
  return count;
}

static Status wait_for_start(const Replayed *replayed, Engine *engine, uint32_t first,
                             uint32_t number, Cycle group_start, Error *err) {
  const RecordedStart *start = &replayed->contents->kernels[number].start;
  while (!engine_is_idle(engine) && count_completed(replayed, first, number) < start->after)
    TRY(engine_advance(engine, NEVER, err));
  Cycle until = group_start + start->cycles;
  while (start->is_timed && !engine_is_idle(engine) && engine_now(engine) < until)
    TRY(engine_advance(engine, until, err));
  return OK;
}

// Frees kernels that nothing refers to any more.
static void release(Replayed *replayed, uint32_t end) {
  for (; replayed->released < end; replayed->released++) {
    destroy_kernel(replayed->kernels[replayed->released]);
    replayed->kernels[replayed->released] = NULL;
  }
}

// Nothing is ever read from them: one byte stands behind all.
static Status change_buffers(const Replayed *replayed, Engine *engine,
                             const RecordedBuffers *buffers, Error *err) {
  static uint8_t nothing;
  Status status = OK;
  for (uint32_t i = 0; i < buffers->gone_count && status == OK; i++)
    status = device_memory_free(engine->memory, buffers->gone[i], err);
  for (uint32_t i = 0; i < buffers->added_count && status == OK; i++)
    status =
        device_memory_alloc_at(engine->memory, buffers->added[i].address,
                               buffers->added[i].size_bytes, ALLOCATION_PLACE, NULL, &nothing, err);
  if (status != OK) return error_prefix(err, "%s: damaged: invalid buffers", replayed->path);
  if (buffers->gone_count || buffers->added_count) engine_forget_allocations(engine);
  return OK;
}

static Status submit(Replayed *replayed, Engine *engine, uint32_t number, Error *err) {
  TRY(change_buffers(replayed, engine, &replayed->contents->kernels[number].buffers, err));
  TRY(load(replayed, number, engine, err));
  Launch *launch = &replayed->kernels[number]->launch;
  return engine_is_timed(engine, launch) ? engine_submit(engine, launch, err)
                                         : engine_run_untimed(engine, launch, err);
}

static Status launch_all(void *self, Engine *engine, const volatile sig_atomic_t *stop,
                         Error *err) {
  Replayed *replayed = self;
  Cycle group_start = 0;
  uint32_t first = 0;
  for (uint32_t i = 0; i < replayed->contents->kernel_count; i++) {
    if (*stop) return error_set(err, ERR_INTERRUPTED, "interrupted");
    if (replayed->contents->kernels[i].start.is_first) {
      TRY(finish(engine, err));
      release(replayed, i);
      first = i;
      group_start = engine_now(engine);
    } else {
      TRY(wait_for_start(replayed, engine, first, i, group_start, err));
    }
    TRY(submit(replayed, engine, i, err));
    TRY(recording_check(replayed->recording, err));
  }
  TRY(finish(engine, err));
  return recording_check(replayed->recording, err);
}

// ---- the run

static Status check_spec(const RunSpec *spec, Error *err) {
  if (spec->arguments.count)
    return error_set(err, ERR_USAGE, "unexpected argument '%s': a recording has no options",
                     spec->arguments.items[0]);
  if (spec->check)
    return error_set(err, ERR_USAGE,
                     "--check %s: a recording has no values; check the program itself",
                     spec->check);
  return OK;
}

// On the machine that it was recorded on, and under the same policies, it is the run itself.
static void warn_of_causes(const RecordingContents *contents, const RunSpec *spec,
                           const RunMachine *machine) {
  char text[ERROR_TEXT_BYTES];
  const char *scheme = text_or(spec->scheme, machine->config.policy.warp_scheduler);
  if (!contents->causes ||
      (!strcmp(contents->gpu, machine->config.gpu.name) && !strcmp(contents->scheme, scheme)))
    return;
  size_t used = (size_t)snprintf(text, sizeof text,
                                 "warning: recorded on %.80s with %.200s; on another machine or "
                                 "under other policies the program may do otherwise, because of:",
                                 contents->gpu, contents->scheme);
  for (uint32_t i = 0, count = 0; i < CAUSE_COUNT; i++)
    if (contents->causes >> i & 1 && used < sizeof text)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s %s", count++ ? "," : "",
                               recording_causes[i]);
  terminal_message(false, text);
}

static void clear(Replayed *replayed) {
  if (!replayed->recording) return;
  if (replayed->kernels) release(replayed, replayed->contents->kernel_count);
  for (uint32_t m = 0; replayed->programs && m < replayed->contents->module_count; m++)
    program_destroy(replayed->programs[m]);
  memory_free(replayed->kernels);
  memory_free(replayed->programs);
  recording_close(replayed->recording);
}

// input: that the results name; NULL: as recorded.
static Status run(const char *path, const char *input, const RunSpec *spec, RunMachine *machine,
                  RunOutcome *outcome, Error *err) {
  Replayed replayed = {.path = path};
  TRY(recording_open(&replayed.recording, path, err));
  const RecordingContents *contents = replayed.contents = recording_contents(replayed.recording);
  replayed.programs = memory_alloc(sizeof *replayed.programs * (contents->module_count + 1));
  replayed.kernels = memory_alloc(sizeof *replayed.kernels * (contents->kernel_count + 1));
  warn_of_causes(contents, spec, machine);
  LocalRun local = {
      .input = input ? input : contents->input, .launch = launch_all, .self = &replayed};
  Status status = local_run_perform(&local, spec, machine, outcome, err);
  clear(&replayed);
  return status;
}

Status recording_run_file(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome,
                          Error *err) {
  TRY(check_spec(spec, err));
  return run(spec->program, spec->program, spec, machine, outcome, err);
}

Status recording_run(const char *path, const RunSpec *spec, RunMachine *machine,
                     RunOutcome *outcome, Error *err) {
  return run(path, NULL, spec, machine, outcome, err);
}
