// SPDX-License-Identifier: MIT
// A recorded run: the loads of every warp, in program order. An observer writes
// it (load_trace), a prefetcher with perfect knowledge reads it (oracle).
//
// A load is its pc and the address of its lowest lane's transaction. Warps are
// identified by launch, CTA and position in the CTA, which do not depend on the SM, so
// that a run under another scheme finds them.
//
// The file, in the byte order of the machine: a LoadTraceHeader, the warps
// in ascending order, the loads warp by warp.
#ifndef POLICIES_LOAD_TRACE_H
#define POLICIES_LOAD_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define LOAD_TRACE_MAGIC "HDLLOADS"
enum { LOAD_TRACE_VERSION = 1 };

typedef struct LoadTraceHeader {
  char magic[8];
  uint64_t version, warp_count, load_count;
} LoadTraceHeader;

typedef struct TracedWarp {
  uint64_t cta;           // linear index in the grid
  uint32_t kernel, warp;  // launch; index in the CTA
  uint64_t first, count;  // of its loads
} TracedWarp;

typedef struct TracedLoad {
  uint64_t address;
  uint64_t pc;
} TracedLoad;

typedef struct LoadTrace {
  const TracedWarp *warps;
  const TracedLoad *loads;
  uint64_t warp_count, load_count;
  void *mapping;
  size_t mapping_bytes;
} LoadTrace;

// Maps a file and checks it: every warp's loads are there.
Status load_trace_open(LoadTrace *trace, const char *path, Error *err);
void load_trace_close(LoadTrace *trace);
// NULL: the recorded run had no such warp.
const TracedWarp *load_trace_find(const LoadTrace *trace, uint32_t kernel, uint64_t cta,
                                  uint32_t warp);
// By launch, CTA and place in the CTA.
int load_trace_compare(const TracedWarp *a, const TracedWarp *b);

#endif
