// SPDX-License-Identifier: MIT
// Heddle's own traces: the kernels of a program, with the code that they ran and what every warp
// executed (step_codec.h), compressed with Zstandard and checked by its checksums.
//
//   RecordingHeader   where the contents are; written last, so that a file that was not completed
//                     is recognised
//   blocks            each a Zstandard frame with a checksum: groups of segments, texts of
//                     modules, tables of segments, and at the end the contents
//
// A segment has the steps of a CTA's warps, or a piece of them if they are long; segments of CTAs
// that were written one after the other share a group, which is what is decompressed at a time. The
// table of a kernel says which segments a CTA has, so that CTAs are read in any order.
//
// recording_writer.h writes them, recording_reader.h reads them.
#ifndef TRACE_RECORDING_H
#define TRACE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/compiler.h"

enum { RECORDING_VERSION = 1 };
#define RECORDING_MAGIC "HEDDLEtr"
#define RECORDING_ENDING ".htrace"

typedef struct RecordingBlock {
  uint64_t offset;
  uint64_t packed_bytes, plain_bytes;
} RecordingBlock;

// As it is in the file, in the byte order of the hosts that Heddle runs on (little-endian).
typedef struct RecordingHeader {
  char magic[8];
  uint32_t version, reserved;
  RecordingBlock contents;
  uint64_t digest;  // of the bytes before it (base/digest.h)
} RecordingHeader;

// Why the steps could be others under another schedule or on another machine, a bit each: name,
// what it says of a program.
#define RECORDING_CAUSES(X)                                                                 \
  X(ATOMIC_RESULT, "atomics that return values")                                            \
  X(ATOMIC_ORDER, "atomics whose result depends on their order (floating point, exchange)") \
  X(STRONG_LOAD, "volatile or relaxed loads of global memory")                              \
  X(SPINNING, "waits for an mbarrier")                                                      \
  X(CLOCK, "reads of clocks")                                                               \
  X(PLACE, "reads of %smid, %warpid and the like")                                          \
  X(CALL, "calls of malloc or other functions of the device runtime")                       \
  X(SURFACE, "stores to surfaces")                                                          \
  X(RACE, "data races")                                                                     \
  X(STREAMS, "kernels of several streams that overlap")

typedef enum RecordingCause {
#define X(name, text) CAUSE_INDEX_##name,
  RECORDING_CAUSES(X)
#undef X
      CAUSE_COUNT
} RecordingCause;

enum {
#define X(name, text) CAUSE_##name = 1 << CAUSE_INDEX_##name,
  RECORDING_CAUSES(X)
#undef X
};

// What a cause says; index below CAUSE_COUNT.
extern const char *const recording_causes[];

typedef struct RecordedText {
  const char *path;  // for messages
  RecordingBlock block;
} RecordedText;

// PTX that was linked and compiled together; or the SASS of a trace's kernel.
typedef struct RecordedModule {
  bool is_sass;
  uint64_t base_address;
  CompilerConfig compiler;
  uint64_t digest;  // of the compiled code: another version of Heddle may compile it differently
  RecordedText *texts;
  uint32_t text_count;
} RecordedModule;

// When a kernel was handed to the GPU.
typedef struct RecordedStart {
  bool is_first;    // no other kernel was in flight
  uint64_t after;   // else: when so many kernels had completed since the first ...
  bool is_timed;    // ... and, if not at that moment, ...
  uint64_t cycles;  // ... so many cycles after the first was handed over
} RecordedStart;

// An allocation in device memory. Policies see what buffer an access is to.
typedef struct RecordedBuffer {
  uint64_t address, size_bytes;
} RecordedBuffer;

// Which buffers there are, relative to the kernel before: some are gone, some are new.
typedef struct RecordedBuffers {
  uint64_t *gone;  // addresses
  RecordedBuffer *added;
  uint32_t gone_count, added_count;
} RecordedBuffers;

typedef struct RecordedKernel {
  uint32_t module;
  const char *name;
  uint32_t grid[3], block[3];
  uint32_t dynamic_shared_bytes, local_bytes, registers;
  uint64_t stream;
  int priority;
  RecordedStart start;
  RecordedBuffers buffers;
  uint64_t warp_instructions, thread_instructions;
  uint64_t pages;  // of global memory that it accessed (page_set.h)
  uint64_t segment_count;
  RecordingBlock segments;  // the table
} RecordedKernel;

typedef struct RecordingContents {
  const char *heddle;  // the version that wrote it
  const char *input, *gpu, *scheme;
  uint32_t causes;  // CAUSE_ bits; 0: the steps are the same under every schedule
  RecordedModule *modules;
  uint32_t module_count;
  RecordedKernel *kernels;
  uint32_t kernel_count;
  RecordingBlock *groups;
  uint64_t group_count;
} RecordingContents;

#endif
