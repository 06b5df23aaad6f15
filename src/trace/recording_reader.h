// SPDX-License-Identifier: MIT
// Reads a recording (recording.h). Nothing that the file says is believed unchecked: damaged,
// truncated and hostile files are refused with the place.
//
//   recording_open, recording_contents, recording_text for the code;
//   recorded_steps_open for a kernel that is launched, recorded_warp_* for each of its warps,
//   recorded_steps_close when it has completed; recording_close
//
// Warps of different threads may be read at the same time. Memory: the contents, the table of each
// open kernel, a cache of groups, and of each open warp a piece of its steps.
#ifndef TRACE_RECORDING_READER_H
#define TRACE_RECORDING_READER_H

#include <stddef.h>

#include "base/error.h"
#include "trace/recording.h"
#include "trace/step_codec.h"

typedef struct Recording Recording;
typedef struct RecordedSteps RecordedSteps;
typedef struct RecordedWarp RecordedWarp;

// Whether a file begins as a recording does; false also if it cannot be read.
bool recording_is(const char *path);

Status recording_open(Recording **opened, const char *path, Error *err);
void recording_close(Recording *recording);
const RecordingContents *recording_contents(const Recording *recording);
uint64_t recording_file_bytes(const Recording *recording);
// *text is NUL-terminated; the caller frees it (memory_free).
Status recording_text(Recording *recording, const RecordedText *wanted, char **text, size_t *length,
                      Error *err);

// code_count: instructions of the kernel's program, as it was compiled from the texts.
Status recorded_steps_open(RecordedSteps **opened, Recording *recording,
                           const RecordedKernel *kernel, uint32_t code_count, Error *err);
void recorded_steps_close(RecordedSteps *steps);

RecordedWarp *recorded_warp_open(RecordedSteps *steps, uint64_t cta, uint32_t warp);
// False at the end, and if the file is damaged (recording_check).
bool recorded_warp_next(RecordedWarp *warp, Step *step, uint64_t *addresses);
void recorded_warp_close(RecordedWarp *warp);
// For callers that find a step that cannot be: it counts as damage of the file.
void recorded_warp_refuse(RecordedWarp *warp);

// The first damage that a warp has met.
Status recording_check(const Recording *recording, Error *err);

#endif
