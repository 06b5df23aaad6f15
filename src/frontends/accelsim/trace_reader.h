// SPDX-License-Identifier: MIT
// Reads a kernel's trace from its beginning to its end, in bounded memory: the header, then for
// each warp of each CTA its instructions. Text (.traceg) and the container of Accel-Sim 2
// (.tracez) are told apart by their content.
//
//   open; while warp() finds one: step() as often as it says; clear.
#ifndef FRONTENDS_ACCELSIM_TRACE_READER_H
#define FRONTENDS_ACCELSIM_TRACE_READER_H

#include "base/arena.h"
#include "frontends/accelsim/line_source.h"
#include "frontends/accelsim/sass_line.h"
#include "frontends/accelsim/trace_header.h"
#include "frontends/accelsim/tracez.h"

typedef struct TraceWarp {
  uint32_t cta[3];
  uint32_t warp;
  uint64_t count;  // of instructions
} TraceWarp;

typedef struct TraceReader {
  TraceHeader header;
  LineSource lines;
  Tracez *packed;  // NULL: text
  Arena arena;
  TraceWarp current;
  bool is_inside;  // a CTA
  uint64_t left;   // instructions of the current warp
} TraceReader;

// Zeroed before; clear it also after an error.
Status trace_reader_open(TraceReader *reader, const char *path, Error *err);
// *found: false at the end. Call it when the last warp's instructions have been read.
Status trace_reader_warp(TraceReader *reader, TraceWarp *warp, bool *found, Error *err);
Status trace_reader_step(TraceReader *reader, SassLine *line, Error *err);
void trace_reader_clear(TraceReader *reader);

#endif
