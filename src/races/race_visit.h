// SPDX-License-Identifier: MIT
// One instruction of a warp while it is checked: race_lanes.c passes over what is in order at a
// glance, race_check.c decides about the rest. Private to this folder.
#ifndef RACES_RACE_VISIT_H
#define RACES_RACE_VISIT_H

#include "races/race_state.h"

typedef struct Visit {
  Races *races;
  const ExecContext *context;
  const Warp *warp;
  const Instruction *in;
  CtaState *cta;
  const WarpOrder *own;
  Touch mine;          // without its lane
  uint32_t first_cta;  // touches of CTAs before it do not count
  uint32_t warp_index;
  bool is_shared, is_write, is_store;
  const uint32_t *words;  // by lane, what a store of one element of up to 4 bytes has; else NULL
} Visit;

// A lane of the visit accesses a cell that `write` or `read` has accessed before. They report the
// races, if they are any.
void race_read_over_write(const Visit *visit, const Touch *write, int lane, uint64_t address);
void race_write_over_write(const Visit *visit, const WriteCell *write, int lane, uint64_t address,
                           uint32_t value);
void race_write_over_read(const Visit *visit, const Touch *read, int lane, uint64_t address);

// The source line of an instruction, or that of the PTX.
uint32_t race_line(const Visit *visit, uint32_t pc);

#endif
