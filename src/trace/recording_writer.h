// SPDX-License-Identifier: MIT
// Writes a recording (recording.h) while kernels run, in bounded memory: the contents, and one
// group of segments.
//
//   recording_writer_create
//   recording_writer_block for the texts of modules; the blocks go into the contents
//   recording_writer_kernel for each kernel, recording_writer_segment as its CTAs proceed, and
//   recording_writer_kernel_end
//   recording_writer_finish, or recording_writer_discard
#ifndef TRACE_RECORDING_WRITER_H
#define TRACE_RECORDING_WRITER_H

#include <stddef.h>

#include "base/error.h"
#include "trace/recording.h"

typedef struct RecordingWriter RecordingWriter;
typedef struct SegmentList SegmentList;  // of a kernel

// The path is replaced when the recording is complete (base/files/replaced_file.h).
Status recording_writer_create(RecordingWriter **writer, const char *path, Error *err);

// Failures of writing are remembered and returned at the end: the caller is in the middle of a
// kernel.
RecordingBlock recording_writer_block(RecordingWriter *writer, const void *bytes, size_t count);
SegmentList *recording_writer_kernel(RecordingWriter *writer);
// The steps of a CTA's warps: counts[w] bytes each, one after the other in parts[w].
void recording_writer_segment(RecordingWriter *writer, SegmentList *list, uint64_t cta,
                              const uint8_t *const *parts, const size_t *counts, uint32_t warps);
// Fills in the kernel's table and frees the list.
void recording_writer_kernel_end(RecordingWriter *writer, SegmentList *list,
                                 RecordedKernel *kernel);

// The groups of the contents are the writer's own. Frees it.
Status recording_writer_finish(RecordingWriter *writer, RecordingContents *contents, Error *err);
void recording_writer_discard(RecordingWriter *writer);

#endif
