// SPDX-License-Identifier: MIT
// An L2 of two halves: what the half that is not a slice's home holds of its lines.
//
// A GPU with two halves reads lines of the far half through the near one, which keeps a copy: the
// first read crosses the link, later ones do not (A100 white paper: a half caches the data that
// its own SMs access). One table per slice, sets of lines by least recent use, with a bit for each
// sector. A store or an atomic of either half drops the copy of the sectors it changes.
//
// Simplified: copies take no room from the near half's own lines, and one stays when the line
// itself leaves the L2; the link has a latency and no limit of bandwidth.
#ifndef MEMORY_FAR_COPIES_H
#define MEMORY_FAR_COPIES_H

#include <stdbool.h>
#include <stdint.h>

// In one word, so that a set is two lines of the host's cache: the line's number plus one, 0 if
// there is none, and in the lowest byte a bit for each sector that there is a copy of.
typedef uint64_t FarCopy;

typedef struct FarCopies {
  FarCopy *copies;  // set by set, the most recent first; NULL: there has been none
  uint32_t sets;    // 0: no copies are kept
} FarCopies;

// `kilobytes` of lines of `line_bytes`.
void far_copies_init(FarCopies *copies, uint32_t kilobytes, uint32_t line_bytes);
void far_copies_clear(FarCopies *copies);
// Whether there is a copy of all of these sectors of a line; there is one from now on.
bool far_copies_read(FarCopies *copies, uint64_t line, uint8_t sectors);
void far_copies_drop(FarCopies *copies, uint64_t line, uint8_t sectors);
void far_copies_drop_all(FarCopies *copies);

#endif
