// SPDX-License-Identifier: MIT
// A CTA's warps are encoded as they run, and go to the file together: when the CTA has completed,
// or when its steps have become long.
#include "device/recording/recorder.h"

#include <string.h>

#include "base/digest.h"
#include "base/memory.h"
#include "base/version.h"
#include "device/recording/buffer_changes.h"
#include "device/recording/schedule_causes.h"
#include "exec/barrier.h"
#include "races/races.h"
#include "trace/page_set.h"
#include "trace/recording_writer.h"
#include "trace/step_codec.h"

enum { SEGMENT_BYTES = 1 << 16 };

typedef struct ModuleRecord {
  const Program *program;
  uint8_t *is_known;  // by pc: its causes have been added
} ModuleRecord;

// Of a kernel in flight.
typedef struct KernelRecord {
  uint32_t index, module;  // in the contents
  SegmentList *segments;
  PageSet pages;
  struct KernelRecord *next, **link;
} KernelRecord;

typedef struct CtaRecord {
  KernelRecord *kernel;
  uint64_t linear;
  uint32_t warp_count, live;
  struct CtaRecord *next, **link;
  StepEncoder warps[];
} CtaRecord;

struct Recorder {
  RecordingWriter *writer;
  RecordingContents contents;
  ModuleRecord *modules;
  uint32_t kernel_capacity;
  Races *races;
  ExecWatch watch;
  bool was_reset;
  Error refusal;  // status OK: none
  // of the kernels in flight
  BufferChanges buffers;
  KernelRecord *running;
  CtaRecord *ctas;
  Cycle first_start, last_completion;
  uint64_t completed;
  Arena arena;
};

#define LIST_ADD(list, item)                  \
  do {                                        \
    (item)->next = (list);                    \
    (item)->link = &(list);                   \
    if ((list)) (list)->link = &(item)->next; \
    (list) = (item);                          \
  } while (0)

#define LIST_REMOVE(item)                                \
  do {                                                   \
    *(item)->link = (item)->next;                        \
    if ((item)->next) (item)->next->link = (item)->link; \
  } while (0)

// The first reason counts.
static void refuse(Recorder *recorder, const char *kernel, const char *why) {
  if (recorder->refusal.status == OK)
    error_set(&recorder->refusal, ERR_UNSUPPORTED,
              "kernel %s cannot be recorded: %s; run it instead", kernel, why);
}

// ---- steps

static void note_footprint(KernelRecord *kernel, const MemoryAccess *access) {
  bool is_generic = access->space == SPACE_GENERIC;
  uint32_t left = is_generic ? access->mask & ~(access->generic_shared | access->generic_local)
                  : access->space == SPACE_GLOBAL ? access->mask
                                                  : 0;
  for (; left; left &= left - 1) page_set_add(&kernel->pages, access->address[__builtin_ctz(left)]);
}

static bool is_cta_barrier(const Instruction *in) {
  bool is_barrier = in->form.op == OP_BAR || in->form.op == OP_BARRIER;
  return is_barrier && in->form.mode != MODE_WARP && !(in->form.option & OPTION_CLUSTER);
}

static Step step_of(const ExecContext *context, const Warp *warp, const Instruction *in,
                    uint32_t mask) {
  const MemoryAccess *access = &context->access;
  Step step = {.pc = (uint32_t)(in - warp->code), .mask = mask};
  if (mask && is_cta_barrier(in)) {
    step.has_barrier = true;
    BarrierOperands operands = barrier_operands(warp, in, mask);
    step.barrier = operands.id;
    step.barrier_threads = operands.threads;
  }
  if (access->mask)
    step.access = (StepAccess){.mask = access->mask,
                               .shared = access->generic_shared & access->mask,
                               .local = access->generic_local & access->mask,
                               .space = access->space,
                               .bytes = access->bytes,
                               .is_write = access->write,
                               .is_atomic = access->atomic};
  return step;
}

static void write_segment(Recorder *recorder, CtaRecord *cta) {
  const uint8_t *parts[MAX_CTA_WARPS];
  size_t counts[MAX_CTA_WARPS];
  for (uint32_t w = 0; w < cta->warp_count; w++) {
    step_encoder_flush(&cta->warps[w]);
    parts[w] = cta->warps[w].bytes;
    counts[w] = cta->warps[w].used;
  }
  recording_writer_segment(recorder->writer, cta->kernel->segments, cta->linear, parts, counts,
                           cta->warp_count);
  for (uint32_t w = 0; w < cta->warp_count; w++) step_encoder_restart(&cta->warps[w]);
}

static CtaRecord *start_cta(Recorder *recorder, Cta *cta) {
  CtaRecord *record = memory_alloc(sizeof *record + sizeof *record->warps * cta->warp_count);
  record->kernel = cta->launch->recorded;
  record->linear = cta->linear;
  record->warp_count = record->live = cta->warp_count;
  LIST_ADD(recorder->ctas, record);
  return cta->recorded = record;
}

static void free_cta(CtaRecord *record) {
  LIST_REMOVE(record);
  for (uint32_t w = 0; w < record->warp_count; w++) memory_free(record->warps[w].bytes);
  memory_free(record);
}

static void end_cta(Recorder *recorder, Cta *cta) {
  write_segment(recorder, cta->recorded);
  free_cta(cta->recorded);
  cta->recorded = NULL;
}

static void note_causes(Recorder *recorder, uint32_t module, uint32_t pc) {
  const ModuleRecord *record = &recorder->modules[module];
  if (record->is_known[pc]) return;
  record->is_known[pc] = 1;
  recorder->contents.causes |= schedule_causes(record->program, pc);
}

// Launches by kernels are not told to the recorder, so that their CTAs have no record.
static bool can_record(Recorder *recorder, const Cta *cta, const MemoryAccess *access) {
  if (recorder->refusal.status != OK) return false;
  if (!cta->launch->recorded)
    refuse(recorder, function_title(cta->launch->kernel), "it was launched by another kernel");
  else if (access->mask && !step_shape_is_valid(access->space, access->bytes))
    refuse(recorder, function_title(cta->launch->kernel), "it has accesses of an unusual size");
  return recorder->refusal.status == OK;
}

static void on_step(void *self, const ExecContext *context, const Warp *warp, const Instruction *in,
                    uint32_t mask) {
  Recorder *recorder = self;
  Cta *cta = warp->cta;
  if (!can_record(recorder, cta, &context->access)) return;
  CtaRecord *record = cta->recorded ? cta->recorded : start_cta(recorder, cta);
  StepEncoder *encoder = &record->warps[warp->index];
  Step step = step_of(context, warp, in, mask);
  if (mask && !warp->replay) note_causes(recorder, record->kernel->module, step.pc);
  if (step.access.mask) note_footprint(record->kernel, &context->access);
  step_encoder_add(encoder, &step, context->access.address);
  RecordedKernel *kernel = &recorder->contents.kernels[record->kernel->index];
  kernel->warp_instructions++;
  kernel->thread_instructions += (uint64_t)__builtin_popcount(mask);
  if (warp->state == WARP_DONE && --record->live == 0)
    end_cta(recorder, cta);
  else if (encoder->used > SEGMENT_BYTES / record->warp_count)
    write_segment(recorder, record);
}

static void on_accessed(void *self, const ExecContext *context, const Warp *warp,
                        const Instruction *in) {
  const ExecWatch *watch = races_watch(((Recorder *)self)->races);
  if (warp->replay) return;  // a trace has no values, and its steps are what they are
  watch->accessed(watch->self, context, warp, in);
}

static void on_synchronised(void *self, const ExecContext *context, const Warp *warp,
                            const Instruction *in, uint32_t mask) {
  const ExecWatch *watch = races_watch(((Recorder *)self)->races);
  if (warp->replay) return;
  watch->synchronised(watch->self, context, warp, in, mask);
}

// ---- modules and kernels

uint64_t recorder_code_digest(const Program *program) {
  uint64_t digest = digest_start();
  for (uint32_t i = 0; i < program->code_count; i++) {
    const Instruction *in = &program->code[i];
    const RegisterUse *use = &program->register_uses[i];
    uint32_t numbers[] = {in->form.op, in->form.type, in->form.space, in->form.mode,
                          in->target,  in->line,      use->guard,     in->is_meeting};
    digest = digest_add_text(digest, in->text);
    digest = digest_add(digest, numbers, sizeof numbers);
    digest = digest_add(digest, use->sources, sizeof *use->sources * use->source_count);
    digest =
        digest_add(digest, use->destinations, sizeof *use->destinations * use->destination_count);
  }
  return digest;
}

static RecordedModule *add_module(Recorder *recorder, const Program *program) {
  RecordingContents *contents = &recorder->contents;
  uint32_t index = contents->module_count++;
  contents->modules =
      memory_resize(contents->modules, sizeof *contents->modules * contents->module_count);
  recorder->modules =
      memory_resize(recorder->modules, sizeof *recorder->modules * contents->module_count);
  recorder->modules[index] = (ModuleRecord){program, memory_alloc(program->code_count + 1)};
  return &contents->modules[index];
}

static void add_text(Recorder *recorder, RecordedModule *module, const char *path, const char *text,
                     size_t length) {
  module->texts[module->text_count++] =
      (RecordedText){.path = arena_strdup(&recorder->arena, path ? path : ""),
                     .block = recording_writer_block(recorder->writer, text, length)};
}

void recorder_module(Recorder *recorder, const Program *program, const PtxText *texts, size_t count,
                     uint64_t base_address, const CompilerConfig *compiler) {
  RecordedModule *module = add_module(recorder, program);
  *module = (RecordedModule){.base_address = base_address,
                             .compiler = *compiler,
                             .digest = recorder_code_digest(program),
                             .texts = ARENA_ARRAY(&recorder->arena, RecordedText, count + 1)};
  for (size_t i = 0; i < count; i++)
    add_text(recorder, module, texts[i].path, texts[i].text, texts[i].length);
}

void recorder_sass(Recorder *recorder, const Program *program, const char *listing, size_t length) {
  RecordedModule *module = add_module(recorder, program);
  *module = (RecordedModule){.is_sass = true,
                             .digest = recorder_code_digest(program),
                             .texts = ARENA_ARRAY(&recorder->arena, RecordedText, 1)};
  add_text(recorder, module, "trace", listing, length);
}

// With a single stream, a kernel that is handed over when another one completes is so under every
// schedule.
static RecordedStart start_of(Recorder *recorder, const Launch *launch, Cycle now, bool is_idle) {
  RecordedStart start = {.is_first = is_idle};
  const RecordingContents *contents = &recorder->contents;
  if (is_idle) {
    recorder->first_start = now;
    recorder->completed = 0;
    return start;
  }
  const RecordedKernel *before = &contents->kernels[contents->kernel_count - 1];
  start.after = recorder->completed;
  start.cycles = now - recorder->first_start;
  start.is_timed =
      recorder->completed ? now != recorder->last_completion : now != recorder->first_start;
  if (start.is_timed || launch->origin.stream != before->stream)
    recorder->contents.causes |= CAUSE_STREAMS;
  return start;
}

static uint32_t module_of(const Recorder *recorder, const Program *program) {
  uint32_t m = recorder->contents.module_count;
  while (m-- > 0)
    if (recorder->modules[m].program == program) return m;
  return UINT32_MAX;
}

static RecordedKernel *add_kernel(RecordingContents *contents, uint32_t *capacity) {
  GROW(contents->kernels, contents->kernel_count, *capacity);
  return &contents->kernels[contents->kernel_count++];
}

void recorder_launch(Recorder *recorder, Launch *launch, const DeviceMemory *memory, Cycle now,
                     bool is_idle) {
  const Function *kernel = launch->kernel;
  uint32_t module = module_of(recorder, launch->program);
  if (recorder->was_reset)
    refuse(recorder, function_title(kernel), "the device was reset before it");
  if (launch_cluster_size(launch) > 1)
    refuse(recorder, function_title(kernel), "its CTAs form clusters");
  if (module == UINT32_MAX) refuse(recorder, function_title(kernel), "its PTX is unknown");
  if (recorder->refusal.status != OK) return;
  RecordedStart start = start_of(recorder, launch, now, is_idle);
  uint32_t index = recorder->contents.kernel_count;
  *add_kernel(&recorder->contents, &recorder->kernel_capacity) = (RecordedKernel){
      .module = module,
      .name = arena_strdup(&recorder->arena, kernel->name),
      .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
      .block = {launch->block[0], launch->block[1], launch->block[2]},
      .dynamic_shared_bytes = launch->dynamic_shared_bytes,
      .local_bytes = launch->local_bytes,
      .registers = kernel->registers,
      .stream = launch->origin.stream,
      .priority = launch->origin.priority,
      .start = start,
      .buffers = buffer_changes_note(&recorder->buffers, memory, &recorder->arena),
  };
  KernelRecord *record = memory_alloc(sizeof *record);
  *record = (KernelRecord){
      .index = index, .module = module, .segments = recording_writer_kernel(recorder->writer)};
  LIST_ADD(recorder->running, record);
  launch->recorded = record;
}

static void end_kernel(Recorder *recorder, KernelRecord *record) {
  RecordedKernel *kernel = &recorder->contents.kernels[record->index];
  kernel->pages = record->pages.count;
  recording_writer_kernel_end(recorder->writer, record->segments, kernel);
  LIST_REMOVE(record);
  page_set_clear(&record->pages);
  memory_free(record);
}

void recorder_completed(Recorder *recorder, Launch *launch) {
  KernelRecord *record = launch->recorded;
  recorder->completed++;
  recorder->last_completion = launch->over;
  if (record) end_kernel(recorder, record);
  launch->recorded = NULL;
}

void recorder_settle(Recorder *recorder) {
  races_end_launches(recorder->races);
}

void recorder_reset(Recorder *recorder) {
  recorder->was_reset |= recorder->contents.kernel_count > 0;
  races_end_launches(recorder->races);
}

// ---- beginning and end

Status recorder_create(Recorder **created, const char *path, Error *err) {
  // Lanes of a warp step together under every schedule.
  RaceOptions options = {.warp = RACE_WARPS_OFF, .all = true};
  Recorder *recorder = memory_alloc(sizeof *recorder);
  Status status = recording_writer_create(&recorder->writer, path, err);
  if (status != OK) {
    memory_free(recorder);
    return status;
  }
  recorder->races = races_create(&options, false);
  recorder->watch = (ExecWatch){on_accessed, on_synchronised, on_step, recorder};
  *created = recorder;
  return OK;
}

const ExecWatch *recorder_watch(const Recorder *recorder) {
  return &recorder->watch;
}

// Threads that write the same value to the same place do so in any order.
static bool has_races(Recorder *recorder) {
  const RaceTable *table = races_found(recorder->races);
  for (uint32_t i = 0; i < table->count; i++) {
    const Race *race = table->races[i];
    if (!race->benign || race->kind != RACE_WAW) return true;
  }
  return false;
}

static Status finish_file(Recorder *recorder, const RecordingAbout *about, Status status,
                          Error *err) {
  RecordingContents *contents = &recorder->contents;
  contents->heddle = version_text();
  contents->input = about->input;
  contents->gpu = about->gpu;
  contents->scheme = about->scheme;
  if (has_races(recorder)) contents->causes |= CAUSE_RACE;
  if (status == OK && recorder->refusal.status == OK && contents->kernel_count)
    return recording_writer_finish(recorder->writer, contents, err);
  recording_writer_discard(recorder->writer);
  if (status != OK) return error_set(err, status, "not recorded: the run did not complete");
  if (recorder->refusal.status != OK)
    return error_set(err, recorder->refusal.status, "%s", recorder->refusal.text);
  return error_set(err, ERR_PROGRAM, "not recorded: the run has no kernels");
}

Status recorder_finish(Recorder *recorder, const RecordingAbout *about, Status status, Error *err) {
  // What a run that has failed leaves behind.
  while (recorder->ctas) free_cta(recorder->ctas);
  while (recorder->running) end_kernel(recorder, recorder->running);
  status = finish_file(recorder, about, status, err);
  for (uint32_t m = 0; m < recorder->contents.module_count; m++)
    memory_free(recorder->modules[m].is_known);
  memory_free(recorder->modules);
  memory_free(recorder->contents.modules);
  memory_free(recorder->contents.kernels);
  races_destroy(recorder->races);
  buffer_changes_clear(&recorder->buffers);
  arena_clear(&recorder->arena);
  memory_free(recorder);
  return status;
}
