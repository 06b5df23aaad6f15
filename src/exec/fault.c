// SPDX-License-Identifier: MIT
// Faults: the first one of a run is kept, and told in a few lines.
//
//   kernel saxpy, CTA (3,0,0), thread (37,0,0): access outside any allocation:
//   4-byte read of global 0xc0100040
//     ref.ptx:58: ld.global.f32
//     saxpy.cu:12
//     64 bytes past the end of X (1048576 bytes at 0xc0000000)
#include "exec/fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "exec/memory/stray_access.h"

const char *fault_name(FaultKind kind) {
  static const char *const names[] = {
#define X(name, text) text,
      FAULT_LIST(X)
#undef X
  };
  return names[kind];
}

Fault fault_of_access(const Warp *warp, FaultKind kind, int lane, Space space, uint64_t address,
                      uint32_t size_bytes, bool write) {
  // The warp's pc already points to the next instruction.
  uint32_t pc = warp->stack_depth ? warp_top(warp)->pc : 0;
  return (Fault){.kind = kind,
                 .space = space,
                 .lane = lane,
                 .address = address,
                 .size_bytes = size_bytes,
                 .pc = pc ? pc - 1 : 0,
                 .write = write};
}

void fault_raise_access(ExecContext *context, const Warp *warp, FaultKind kind, int lane,
                        Space space, uint64_t address, uint32_t size_bytes, bool write) {
  if (context->fault.kind) return;
  context->fault = fault_of_access(warp, kind, lane, space, address, size_bytes, write);
}

void fault_raise(ExecContext *context, const Warp *warp, FaultKind kind, int lane) {
  fault_raise_access(context, warp, kind, lane, SPACE_GENERIC, 0, 0, false);
}

// Text in a fixed buffer, truncated at its end.
typedef struct Text {
  char *at;
  size_t length, capacity;
} Text;

static void add(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(Text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text->at + text->length, text->capacity - text->length, format, args);
  va_end(args);
  if (n > 0) text->length += (size_t)n;
  if (text->length >= text->capacity) text->length = text->capacity - 1;
}

static void add_thread(Text *text, const Warp *warp, int lane) {
  const Launch *launch = warp->cta->launch;
  const uint32_t *ctaid = warp->cta->ctaid, *block = launch->block;
  uint32_t thread = warp->index * WARP_LANES + (uint32_t)lane;
  uint32_t columns = block[0] ? block[0] : 1, rows = block[1] ? block[1] : 1;
  add(text, "kernel %s, CTA (%u,%u,%u), thread (%u,%u,%u): ", function_title(launch->kernel), ctaid[0],
      ctaid[1], ctaid[2], thread % columns, thread / columns % rows, thread / columns / rows);
}

static void add_place(Text *text, const Warp *warp, uint32_t pc) {
  const Program *program = warp->cta->launch->program;
  if (!program || pc >= program->code_count) return;
  const Instruction *in = &program->code[pc];
  const Function *function = warp->stack_depth ? warp_top(warp)->function : NULL;
  const char *path = function && function->path ? function->path : program->path;
  add(text, "\n  %s:%u: ", path ? path : "?", in->line);
  add(text, "%s", in->text ? in->text : opcode_info[in->form.op].name);
  if (function && function != warp->cta->launch->kernel) add(text, " in %s", function_title(function));
  if (in->source && in->source < program->source_count)
    add(text, "\n  %s:%u", program->sources[in->source].file, program->sources[in->source].line);
}

static void add_neighbour(Text *text, const ExecContext *context, const Fault *fault) {
  uint64_t address = fault->address;
  const Allocation *near = context->memory ? device_memory_nearest(context->memory, address) : NULL;
  if (!near) {
    add(text, "\n  no memory is allocated");
    return;
  }
  uint64_t end = near->address + near->size_bytes;
  add(text, "\n  ");
  if (address < near->address)
    add(text, "%" PRIu64 " bytes before", near->address - address);
  else if (address >= end)
    add(text, "%" PRIu64 " bytes past the end of", address - end);
  else
    add(text, "%" PRIu64 " bytes into", address - near->address);
  if (near->name)
    add(text, " %s%s", near->freed ? "freed " : "", near->name);
  else
    add(text, " %s allocation", near->freed ? "a freed" : "an");
  add(text, " (%" PRIu64 " bytes at 0x%" PRIx64 ")", near->size_bytes, near->address);
}

// How large a space other than global memory is.
static void add_size(Text *text, const Warp *warp, Space space) {
  const Launch *launch = warp->cta->launch;
  if (space == SPACE_SHARED)
    add(text, "\n  shared memory per CTA: %u bytes", warp->cta->shared_bytes);
  else if (space == SPACE_LOCAL || space == SPACE_FRAME)
    add(text, "\n  local memory per thread: %u bytes", warp->local_bytes);
  else if (space == SPACE_PARAM)
    add(text, "\n  kernel parameters: %u bytes", launch->kernel->param_bytes);
}

static bool is_device_memory(Space space) {
  return space == SPACE_GLOBAL || space == SPACE_CONST || space == SPACE_TEXTURE;
}

// Words that only access faults need.
static void add_access(Text *text, const Fault *fault) {
  if (fault->kind == FAULT_BAD_CALL || fault->kind == FAULT_BAD_FREE ||
      fault->kind == FAULT_BAD_TEXTURE)
    add(text, ": 0x%" PRIx64, fault->address);
  if (fault->size_bytes)
    add(text, ": %u-byte %s of %s 0x%" PRIx64, fault->size_bytes, fault->write ? "write" : "read",
        space_name(fault->space), fault->address);
}

// Somebody else's program may rely on what hardware lets pass.
static void add_advice(Text *text, const ExecContext *context, const Fault *fault) {
  bool is_outside = fault->kind == FAULT_OUT_OF_BOUNDS || fault->kind == FAULT_USE_AFTER_FREE;
  if (is_outside && context->memory && !device_memory_strays(context->memory) &&
      stray_access_is_mapped(context->memory, fault->address, fault->size_bytes))
    add(text,
        "\n  hardware checks whole pages and would not fault here; nor does --set run.bounds=page");
}

// Arrivals at the barriers of a CTA that may have exited.
static void add_cluster_advice(Text *text, const ExecContext *context, const Warp *warp,
                               const Fault *fault) {
  const Program *program = warp->cta->launch->program;
  if (fault->kind != FAULT_BAD_CLUSTER || !program || fault->pc >= program->code_count) return;
  if (program->code[fault->pc].form.op != OP_MBARRIER) return;
  add(text, "\n  let all CTAs of the cluster meet (barrier.cluster) before one exits");
  if (context->memory && !device_memory_strays(context->memory))
    add(text, ", or ignore such arrivals as hardware does: --set run.bounds=page");
}

Status fault_describe(const ExecContext *context, const Warp *warp, const Fault *fault,
                      Error *err) {
  char buffer[ERROR_TEXT_BYTES] = "";
  Text text = {buffer, 0, sizeof buffer};
  add_thread(&text, warp, fault->lane);
  add(&text, "%s", fault_name(fault->kind));
  add_access(&text, fault);
  if (fault->detail[0]) add(&text, ": %.*s", (int)sizeof fault->detail, fault->detail);
  add_place(&text, warp, fault->pc);
  if (fault->size_bytes && is_device_memory(fault->space) && fault->kind != FAULT_NULL_POINTER)
    add_neighbour(&text, context, fault);
  else if (fault->size_bytes)
    add_size(&text, warp, fault->space);
  if (is_device_memory(fault->space)) add_advice(&text, context, fault);
  add_cluster_advice(&text, context, warp, fault);
  return error_set(err, ERR_PROGRAM, "%s", buffer);
}

Status fault_report(const ExecContext *context, const Warp *warp, Error *err) {
  return fault_describe(context, warp, &context->fault, err);
}
