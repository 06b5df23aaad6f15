// SPDX-License-Identifier: MIT
// The race check: finds accesses of two threads of a kernel to the same byte, at least one of
// them a write, that no barrier, fence or atomic orders (docs/races.md).
//
// It watches execution (exec/watch.h), with or without timing, and changes nothing. It follows
// what orders accesses, not the order in which they happened to be simulated.
//
//   races_create, races_watch into the contexts, kernels, races_found, races_destroy
#ifndef RACES_RACES_H
#define RACES_RACES_H

#include "base/param.h"
#include "exec/watch.h"
#include "races/race_table.h"

// Whether lanes of a warp may run ahead of each other between their synchronisations.
typedef enum RaceWarps { RACE_WARPS_AUTO, RACE_WARPS_ON, RACE_WARPS_OFF } RaceWarps;

typedef struct RaceOptions {
  RaceWarps warp;
  bool all;  // also report benign races
} RaceOptions;

// From a spec such as "races" or "races:warp=on,all=true".
Status race_options_read(RaceOptions *options, const char *spec, Error *err);
extern const Param race_params[];

typedef struct Races Races;

// are_lanes_independent: as on the GPU that runs the kernels (compute capability 7.0 and later).
Races *races_create(const RaceOptions *options, bool are_lanes_independent);
void races_destroy(Races *races);
const ExecWatch *races_watch(const Races *races);
// Kernels that have been launched are over: what they leave unfinished is dropped.
void races_end_launches(Races *races);

// Benign ones included.
const RaceTable *races_found(Races *races);
bool races_report_all(const Races *races);
// Whether lanes of one warp are checked against each other.
bool races_check_warps(const Races *races);

#endif
