// SPDX-License-Identifier: MIT
// State of the race check. Private to this folder.
#ifndef RACES_RACE_STATE_H
#define RACES_RACE_STATE_H

#include "races/warp_order.h"
#include "races/races.h"

// A CTA that runs.
typedef struct CtaState {
  CtaOrder order;
  uint32_t launch, first_cta;     // the number of the launch's first CTA
  ShadowPage shared;              // touches by earlier CTAs, whose place it takes, do not count
  uint32_t shared_bytes;          // of this CTA; the page may have more
  struct CtaState *next, **link;  // of all that run
} CtaState;

typedef struct RaceLaunch {
  uint64_t grid_id;
  uint32_t first_cta;
} RaceLaunch;

struct Races {
  RaceOptions options;
  bool check_warps;
  ExecWatch watch;
  Shadow global;
  SyncPoints points;
  RaceTable found;
  CtaState *running, *spare;
  RaceCta *ctas;  // [cta - 1]; all of the run
  uint32_t cta_count, cta_capacity;
  RaceLaunch *launches;
  uint32_t launch_count, launch_capacity;
  uint32_t tested[2], tested_launch;  // the last pair of race_table_note_tested
  uint32_t unknown_values;            // writes whose value is not known differ from all others
};

// The state of a warp's CTA, made at its first access or barrier; the warp's clocks are up to
// date. NULL: the run has too many CTAs.
CtaState *races_cta(Races *races, const Warp *warp);
void races_end_cta(Races *races, CtaState *cta);

// The lanes in `lanes` have accessed shared or global memory.
void races_check_lanes(Races *races, CtaState *cta, const ExecContext *context, const Warp *warp,
                       const Instruction *in, uint32_t lanes, bool is_shared);

#endif
