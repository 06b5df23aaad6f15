// SPDX-License-Identifier: MIT
// The steps of a kernel's warps in a file: what each warp executed, in order (exec/replay.h has the
// meaning of a step). Written once, warp by warp; read by many warps at the same time, each from
// its beginning. Memory holds the index and a chunk per open warp.
//
// Steps refer to instructions by a number that the writer chooses.
//
//   a warp's steps are chunks of at most STEPS_PER_CHUNK steps, each compressed (Zstandard);
//   numbers in a chunk are differences to the step before, in bytes of seven bits.
#ifndef TRACE_STEPS_H
#define TRACE_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "isa/instruction.h"

enum { STEPS_PER_CHUNK = 1024 };

typedef struct TraceStep {
  uint32_t instruction;
  uint32_t mask;
  bool has_access;
  uint64_t address[WARP_LANES];  // of the lanes in mask
} TraceStep;

typedef struct Steps Steps;

// An unnamed file in $TMPDIR or /var/tmp, for warps numbered below warp_count. It may be large, and
// /tmp is memory on many systems.
Status steps_create(Steps **steps, uint64_t warp_count, Error *err);
void steps_destroy(Steps *steps);

// Each warp once, in any order: begin, add, end. A warp that is never begun has no steps.
Status steps_begin(Steps *steps, uint64_t warp, Error *err);
Status steps_add(Steps *steps, const TraceStep *step, Error *err);
Status steps_end(Steps *steps, Error *err);

uint64_t steps_count(const Steps *steps);  // of all warps
uint64_t steps_file_bytes(const Steps *steps);

// Reads the steps of a warp. The file must be complete.
typedef struct StepCursor StepCursor;
StepCursor *step_cursor_open(Steps *steps, uint64_t warp);
// False at the end, or if the file can no longer be read (steps_have_failed).
bool step_cursor_next(StepCursor *cursor, TraceStep *step);
void step_cursor_close(StepCursor *cursor);
// Whether a cursor of these steps has failed to read.
bool steps_have_failed(const Steps *steps);

#endif
