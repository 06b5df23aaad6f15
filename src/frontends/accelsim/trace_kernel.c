// SPDX-License-Identifier: MIT
// Reads a trace into numbered instructions and compact steps, and plays the steps back with
// addresses as the machine has them: offsets in shared and local memory, bytes in global memory.
#include "frontends/accelsim/trace_kernel.h"

#include <string.h>

#include "base/memory.h"
#include "frontends/accelsim/trace_reader.h"

// Windows of generic addresses have WINDOW_BYTES on NVIDIA's GPUs, too.
static bool is_within(uint64_t address, uint64_t base) {
  return base && address >= base && address - base < WINDOW_BYTES;
}

// ---- reading

static bool is_global(const TraceKernel *kernel, const SassLine *line) {
  uint64_t first = line->address[__builtin_ctz(line->mask)];
  bool is_near = !strncmp(line->opcode, "LDS", 3) || !strncmp(line->opcode, "STS", 3) ||
                 !strncmp(line->opcode, "ATOMS", 5) || !strncmp(line->opcode, "LDL", 3) ||
                 !strncmp(line->opcode, "STL", 3);
  return !is_near && !is_within(first, kernel->header.shared_base) &&
         !is_within(first, kernel->header.local_base);
}

static void note_footprint(TraceKernel *kernel, const SassLine *line) {
  if (!is_global(kernel, line)) return;
  for (uint32_t left = line->mask; left; left &= left - 1)
    page_set_add(&kernel->pages, line->address[__builtin_ctz(left)]);
}

// A copy by the tensor memory accelerator has one address: here the lanes share its first bytes.
// Simplified: what is larger than the lanes' 16 bytes each counts as those 512 bytes.
static void spread_bulk(SassLine *line) {
  enum { LANE_BYTES = 16 };
  uint64_t lanes = (line->bulk_bytes + LANE_BYTES - 1) / LANE_BYTES;
  line->mask = lanes >= WARP_LANES ? FULL_MASK : (1u << lanes) - 1;
  for (uint32_t i = 1; i < WARP_LANES; i++)
    line->address[i] = line->address[0] + (uint64_t)i * LANE_BYTES;
}

static Status add_step(TraceKernel *kernel, SassLine *line, Error *err) {
  TraceStep step = {.instruction = sass_code_add(&kernel->code, line)};
  if (line->bulk_bytes) spread_bulk(line);
  step.mask = line->mask;
  step.has_access = line->is_memory && line->mask;
  if (step.has_access) {
    note_footprint(kernel, line);
    memcpy(step.address, line->address, sizeof step.address);
  }
  return steps_add(kernel->steps, &step, err);
}

static Status read_warp(TraceKernel *kernel, TraceReader *reader, const TraceWarp *warp,
                        Error *err) {
  const uint32_t *grid = kernel->header.grid;
  uint64_t cta =
      warp->cta[0] + (uint64_t)grid[0] * (warp->cta[1] + (uint64_t)grid[1] * warp->cta[2]);
  SassLine line;
  TRY(steps_begin(kernel->steps, cta * kernel->warps_per_cta + warp->warp, err));
  for (uint64_t i = 0; i < warp->count; i++) {
    if (kernel->stop && *kernel->stop) return error_set(err, ERR_INTERRUPTED, "interrupted");
    TRY(trace_reader_step(reader, &line, err));
    TRY(add_step(kernel, &line, err));
  }
  kernel->empty_warps -= warp->count != 0;
  return steps_end(kernel->steps, err);
}

// More warps than an index of two words each can have in memory are not a trace.
enum { MOST_WARPS = 1 << 28 };

static Status prepare(TraceKernel *kernel, const char *path, Error *err) {
  const uint32_t *grid = kernel->header.grid, *block = kernel->header.block;
  kernel->warps_per_cta = (block[0] * block[1] * block[2] + WARP_LANES - 1) / WARP_LANES;
  uint64_t plane = (uint64_t)grid[0] * grid[1];
  if (plane > MOST_WARPS || plane * grid[2] > MOST_WARPS / kernel->warps_per_cta)
    return error_set(err, ERR_UNSUPPORTED, "%s: more than %d warps", path, MOST_WARPS);
  kernel->empty_warps = plane * grid[2] * kernel->warps_per_cta;
  return steps_create(&kernel->steps, kernel->empty_warps, err);
}

static Status read_warps(TraceKernel *kernel, TraceReader *reader, const char *path, Error *err) {
  TraceWarp warp;
  bool found;
  TRY(prepare(kernel, path, err));
  for (uint64_t warps = 0;; warps++) {
    TRY(trace_reader_warp(reader, &warp, &found, err));
    if (!found && !warps)
      return error_set(err, ERR_SYNTAX, "%s: the trace has no thread blocks; is it truncated?",
                       path);
    if (!found) return OK;
    Status status = read_warp(kernel, reader, &warp, err);
    if (status != OK && status != ERR_IO && status != ERR_INTERRUPTED && !strstr(err->text, path))
      return error_prefix(err, "%s", path);
    TRY(status);
  }
}

// ---- replaying

typedef struct WarpSteps {
  const TraceKernel *kernel;
  StepCursor *cursor;
} WarpSteps;

static void *open_warp(void *self, uint64_t cta, uint32_t warp) {
  TraceKernel *kernel = self;
  WarpSteps *steps = memory_alloc(sizeof *steps);
  steps->kernel = kernel;
  steps->cursor = step_cursor_open(kernel->steps, cta * kernel->warps_per_cta + warp);
  return steps;
}

static void close_warp(void *self) {
  WarpSteps *steps = self;
  step_cursor_close(steps->cursor);
  memory_free(steps);
}

// The space of a generic access is that of its first lane, as in Accel-Sim.
static uint8_t space_of(const TraceKernel *kernel, const Instruction *in,
                        const MemoryAccess *access) {
  uint64_t first = access->address[__builtin_ctz(access->mask)];
  if (in->form.space != SPACE_GENERIC) return in->form.space;
  if (is_within(first, kernel->header.shared_base)) return SPACE_SHARED;
  return is_within(first, kernel->header.local_base) ? SPACE_LOCAL : SPACE_GLOBAL;
}

static void place_addresses(const Instruction *in, uint8_t space, MemoryAccess *access) {
  bool is_generic = in->form.space == SPACE_GENERIC;
  uint64_t within = space == SPACE_GLOBAL || in->form.op == OP_CP ? UINT64_MAX : WINDOW_BYTES - 1;
  uint64_t aligned = in->dst_bytes ? ~(uint64_t)(in->dst_bytes - 1) : UINT64_MAX;
  access->generic_shared = is_generic && space == SPACE_SHARED ? access->mask : 0;
  access->generic_local = is_generic && space == SPACE_LOCAL ? access->mask : 0;
  for (uint32_t left = access->mask; left; left &= left - 1)
    access->address[__builtin_ctz(left)] &= within & aligned;
}

// What coalescing and the caches need to know of a recorded access.
static void describe_access(const TraceKernel *kernel, const Instruction *in,
                            MemoryAccess *access) {
  Opcode op = in->form.op;
  // Of fewer than four matrices only the first lanes point to rows.
  bool is_matrix = op == OP_LDMATRIX || op == OP_STMATRIX;
  if (is_matrix && in->form.vector < 4) access->mask &= (1u << 8 * in->form.vector) - 1;
  if (!access->mask) return;
  // An asynchronous copy is seen as the read that it begins with.
  access->space = op == OP_CP ? SPACE_GLOBAL : in->form.space;
  access->bytes = in->dst_bytes;
  access->write = op == OP_ST || op == OP_STMATRIX || op == OP_RED;
  access->atomic = op == OP_ATOM || op == OP_RED;
  place_addresses(in, space_of(kernel, in, access), access);
}

static bool next_step(void *self, ReplayStep *step) {
  WarpSteps *steps = self;
  const TraceKernel *kernel = steps->kernel;
  TraceStep recorded;
  if (!step_cursor_next(steps->cursor, &recorded)) return false;
  step->pc = kernel->made.places[recorded.instruction];
  step->mask = recorded.mask;
  const Instruction *in = &kernel->made.program->code[step->pc];
  step->barrier = (uint32_t)in->offset;
  step->barrier_threads = 0;
  bool has_access = recorded.has_access && opcode_info[in->form.op].latency_class == CLASS_MEMORY;
  step->access.mask = has_access ? step->mask : 0;
  if (!step->access.mask) return true;
  memcpy(step->access.address, recorded.address, sizeof recorded.address);
  describe_access(kernel, in, &step->access);
  step->mask = step->access.mask;
  return true;
}

// ---- a kernel

Status trace_kernel_load(TraceKernel *kernel, const char *path, const volatile sig_atomic_t *stop,
                         Error *err) {
  TraceReader *reader = memory_alloc(sizeof *reader);
  kernel->stop = stop;
  Status status = trace_reader_open(reader, path, err);
  kernel->header = reader->header;
  if (status == OK) {
    kernel->header.name = arena_strdup(&kernel->arena, reader->header.name);
    status = read_warps(kernel, reader, path, err);
  }
  if (status == OK) {
    sass_program_make(&kernel->made, &kernel->code, &kernel->header);
    kernel->instructions = steps_count(kernel->steps);
    kernel->replay =
        (Replay){.self = kernel, .open = open_warp, .next = next_step, .close = close_warp};
  }
  trace_reader_clear(reader);
  memory_free(reader);
  return status;
}

Status trace_kernel_peek(TraceHeader *header, const char *path, Arena *arena, Error *err) {
  TraceReader *reader = memory_alloc(sizeof *reader);
  Status status = trace_reader_open(reader, path, err);
  *header = reader->header;
  if (status == OK) header->name = arena_strdup(arena, reader->header.name);
  trace_reader_clear(reader);
  memory_free(reader);
  return status;
}

void trace_kernel_clear(TraceKernel *kernel) {
  if (kernel->made.program) program_destroy(kernel->made.program);
  steps_destroy(kernel->steps);
  page_set_clear(&kernel->pages);
  sass_code_clear(&kernel->code);
  arena_clear(&kernel->arena);
  *kernel = (TraceKernel){0};
}
