// SPDX-License-Identifier: MIT
// Launches the kernels of a trace in the order of its list. A kernel's steps are read when it is
// launched and dropped when it has completed, so that memory holds a few kernels at most.
//
// Copies to the device take no time. A kernel behind a copy starts when all kernels before the copy
// have ended.
#include "runner/trace/trace_run.h"

#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "base/text/terminal.h"
#include "frontends/accelsim/kernels_list.h"
#include "frontends/accelsim/sass_listing.h"
#include "frontends/accelsim/trace_kernel.h"
#include "runner/local_run.h"
#include "runner/trace/recording_run.h"
#include "trace/recording_reader.h"

// Kernels that may overlap: as many as a GPU has hardware queues for.
enum { MOST_TOGETHER = 32 };

typedef struct TraceLaunches {
  KernelsList list;
  Program **programs;  // results refer to them
  uint32_t program_count;
  uint64_t launched;
  const volatile sig_atomic_t *stop;
  Arena arena;
} TraceLaunches;

typedef struct LoadedKernel {
  TraceKernel trace;
  Launch launch;
} LoadedKernel;

// What the user should know of a kernel's trace.
static void report(const TraceKernel *kernel, const char *path) {
  char text[ERROR_TEXT_BYTES];
  for (uint32_t i = 0; i < kernel->made.unknown_count; i++) {
    const UnknownOpcode *unknown = &kernel->made.unknown[i];
    snprintf(text, sizeof text,
             "warning: %s: unknown SASS instruction %s, %llu times: timed as a move", path,
             unknown->mnemonic, (unsigned long long)unknown->count);
    terminal_message(false, text);
  }
  if (kernel->header.was_clamped) {
    snprintf(text, sizeof text,
             "warning: %s: registers or shared memory in the header exceed those of any GPU: %u "
             "registers and %llu bytes assumed",
             path, kernel->header.registers, (unsigned long long)kernel->header.shared_bytes);
    terminal_message(false, text);
  }
}

static void record_code(Recorder *recorder, const TraceKernel *kernel) {
  size_t length;
  char *listing = sass_listing_write(kernel, &length);
  recorder_sass(recorder, kernel->made.program, listing, length);
  memory_free(listing);
}

static Status load(TraceLaunches *launches, const Engine *engine, LoadedKernel *kernel,
                   const char *path, Error *err) {
  static const uint8_t no_params;
  TRY(trace_kernel_load(&kernel->trace, path, launches->stop, err));
  report(&kernel->trace, path);
  Program *program = kernel->trace.made.program;
  if (engine->options.recorder) record_code(engine->options.recorder, &kernel->trace);
  launches->programs[launches->program_count++] = program;
  const TraceHeader *header = &kernel->trace.header;
  TRY(launch_init(&kernel->launch, program, program->functions, header->grid, header->block,
                  &no_params, 0, 0, err));
  kernel->launch.replay = &kernel->trace.replay;
  kernel->launch.origin.stream = header->stream;
  kernel->launch.number = launches->launched++;
  return OK;
}

static void unload(LoadedKernel *kernel) {
  kernel->trace.made.program = NULL;  // kept for the results
  trace_kernel_clear(&kernel->trace);
}

// How many kernels from command `first` on may run together: up to a copy, or to a kernel of a
// stream that occurred already, which has to wait anyway.
static Status count_together(TraceLaunches *launches, uint32_t first, uint32_t *count, Error *err) {
  uint64_t streams[MOST_TOGETHER];
  const KernelsList *list = &launches->list;
  TraceHeader header = {0};
  for (*count = 0; *count < MOST_TOGETHER && first + *count < list->count; ++*count) {
    const TraceCommand *command = &list->commands[first + *count];
    if (!command->kernel) return OK;
    TRY(trace_kernel_peek(&header, command->kernel, &launches->arena, err));
    for (uint32_t i = 0; i < *count; i++)
      if (streams[i] == header.stream) return OK;
    streams[*count] = header.stream;
  }
  return OK;
}

static Status check_steps(const LoadedKernel *kernels, uint32_t count, Error *err) {
  for (uint32_t i = 0; i < count; i++)
    if (kernels[i].trace.steps && steps_have_failed(kernels[i].trace.steps))
      return error_set(err, ERR_IO, "cannot read the trace's steps from a temporary file");
  return OK;
}

// Those without timing first, then the others at a time. No two are of one stream.
static Status run_loaded(Engine *engine, LoadedKernel *kernels, uint32_t count, Error *err) {
  for (uint32_t i = 0; i < count; i++)
    if (!engine_is_timed(engine, &kernels[i].launch))
      TRY(engine_run_untimed(engine, &kernels[i].launch, err));
  for (uint32_t i = 0; i < count; i++)
    if (engine_is_timed(engine, &kernels[i].launch))
      TRY(engine_submit(engine, &kernels[i].launch, err));
  while (!engine_is_idle(engine)) TRY(engine_advance(engine, NEVER, err));
  return OK;
}

static Status run_together(TraceLaunches *launches, Engine *engine, uint32_t first, uint32_t count,
                           Error *err) {
  LoadedKernel *kernels = memory_alloc(sizeof *kernels * count);
  Status status = OK;
  for (uint32_t i = 0; i < count && status == OK; i++)
    status = load(launches, engine, &kernels[i], launches->list.commands[first + i].kernel, err);
  if (status == OK) status = run_loaded(engine, kernels, count, err);
  if (status == OK) status = check_steps(kernels, count, err);
  for (uint32_t i = 0; i < count; i++) unload(&kernels[i]);
  memory_free(kernels);
  return status;
}

static Status launch_all(void *self, Engine *engine, const volatile sig_atomic_t *stop,
                         Error *err) {
  TraceLaunches *launches = self;
  launches->stop = stop;
  for (uint32_t i = 0; i < launches->list.count;) {
    uint32_t count = 0;
    if (*stop) return error_set(err, ERR_INTERRUPTED, "interrupted");
    if (launches->list.commands[i].kernel) TRY(count_together(launches, i, &count, err));
    if (count) TRY(run_together(launches, engine, i, count, err));
    i += count ? count : 1;
  }
  return OK;
}

static Status check_spec(const RunSpec *spec, Error *err) {
  if (spec->arguments.count)
    return error_set(err, ERR_USAGE, "unexpected argument '%s': a trace has no options",
                     spec->arguments.items[0]);
  if (spec->check)
    return error_set(err, ERR_USAGE,
                     "--check %s: a trace has no values, and its order is fixed; "
                     "check the program itself",
                     spec->check);
  return OK;
}

Status trace_run_file(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome, Error *err) {
  TraceLaunches launches = {0};
  if (recording_is(spec->program) || path_ends_with(spec->program, RECORDING_ENDING))
    return recording_run_file(spec, machine, outcome, err);
  TRY(check_spec(spec, err));
  Status status = kernels_list_read(&launches.list, spec->program, &launches.arena, err);
  if (status == OK) {
    launches.programs = ARENA_ARRAY(&launches.arena, Program *, launches.list.kernel_count);
    LocalRun run = {.input = spec->program, .launch = launch_all, .self = &launches};
    status = local_run_perform(&run, spec, machine, outcome, err);
  }
  for (uint32_t i = 0; i < launches.program_count; i++) program_destroy(launches.programs[i]);
  arena_clear(&launches.arena);
  return status;
}
