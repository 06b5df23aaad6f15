// SPDX-License-Identifier: MIT
// The header of a kernel's trace: lines "-key = value", up to the first line that begins with '#'.
#ifndef FRONTENDS_ACCELSIM_TRACE_HEADER_H
#define FRONTENDS_ACCELSIM_TRACE_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "frontends/accelsim/line_source.h"

typedef struct TraceHeader {
  const char *name;  // of the kernel, mangled; in the arena
  uint64_t id, stream;
  uint32_t grid[3], block[3];
  uint64_t shared_bytes;
  uint32_t registers;
  uint32_t binary_version;           // 70: sm_70; 0: unknown
  uint32_t version;                  // of the tracer, which chooses the grammar of lines
  bool has_lines;                    // source lines before the instructions
  uint64_t shared_base, local_base;  // windows of generic addresses
  bool was_clamped;                  // registers or shared memory were not to be believed
} TraceHeader;

// One header line. Unknown keys are ignored: newer tracers have more.
Status trace_header_line(TraceHeader *header, const LineSource *lines, const char *line,
                         Arena *arena, Error *err);
// Checks what the lines gave: names what is missing, clamps what no GPU has.
Status trace_header_check(TraceHeader *header, const LineSource *lines, Error *err);

#endif
