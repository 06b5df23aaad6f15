// SPDX-License-Identifier: MIT
// .tracez, the container of Accel-Sim 2: a text header, a dictionary, each warp's lines in
// compressed pieces, and an index at the end. Nothing that the file says is believed unchecked.
#ifndef FRONTENDS_ACCELSIM_TRACEZ_H
#define FRONTENDS_ACCELSIM_TRACEZ_H

#include "base/arena.h"
#include "frontends/accelsim/sass_line.h"
#include "frontends/accelsim/trace_header.h"

typedef struct Tracez Tracez;

// Whether the file is one: it has a header of text that ends with a NUL.
Status tracez_is(const char *path, bool *is_one, Error *err);
// Reads header and index. The header's texts live in the arena.
Status tracez_open(Tracez **opened, const char *path, TraceHeader *header, Arena *arena,
                   Error *err);
// The next warp, in the order of the index.
Status tracez_warp(Tracez *trace, uint32_t cta[3], uint32_t *warp, uint64_t *count, bool *found,
                   Error *err);
Status tracez_step(Tracez *trace, SassLine *line, Error *err);
void tracez_close(Tracez *trace);

#endif
