// SPDX-License-Identifier: MIT
// Lines accessed by the latest instruction of each warp.
#include "observers/accesses/instruction_lines.h"

#include <string.h>

enum { LANES = 32, WARP_SLOTS = 256 };  // of an SM, as wide as Requester.warp

typedef struct InstructionOfWarp {
  uint32_t kernel, order, line_count;
  uint64_t lines[LANES];
} InstructionOfWarp;

static void reserve(InstructionLines *lines, uint32_t sm_count) {
  lines->by_sm = memory_resize(lines->by_sm, sizeof *lines->by_sm * sm_count);
  memset(lines->by_sm + lines->sm_count, 0, sizeof *lines->by_sm * (sm_count - lines->sm_count));
  lines->sm_count = sm_count;
}

static InstructionOfWarp *latest_of(InstructionLines *lines, const MemEvent *event) {
  if (event->requester.sm >= lines->sm_count) reserve(lines, event->requester.sm + 1u);
  InstructionOfWarp **of_sm = &lines->by_sm[event->requester.sm];
  if (!*of_sm) *of_sm = memory_alloc(sizeof **of_sm * WARP_SLOTS);
  return &(*of_sm)[event->requester.warp];
}

bool instruction_lines_is_new(InstructionLines *lines, const MemEvent *event, uint64_t line) {
  InstructionOfWarp *latest = latest_of(lines, event);
  if (latest->order != event->order || latest->kernel != event->requester.kernel)
    *latest = (InstructionOfWarp){.kernel = event->requester.kernel, .order = event->order};
  for (uint32_t i = 0; i < latest->line_count; i++)
    if (latest->lines[i] == line) return false;
  if (latest->line_count < LANES) latest->lines[latest->line_count++] = line;
  return true;
}

void instruction_lines_clear(InstructionLines *lines) {
  for (uint32_t s = 0; s < lines->sm_count; s++) memory_free(lines->by_sm[s]);
  memory_free(lines->by_sm);
  *lines = (InstructionLines){0};
}
