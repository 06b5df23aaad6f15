// SPDX-License-Identifier: MIT
// Races that a check has found, in the result of a run.
#include "device/process/race_results.h"

static RunRacePoint result_point(const RacePoint *point) {
  return (RunRacePoint){.file = point->file,
                        .line = point->line,
                        .instruction = point->instruction,
                        .thread = point->thread,
                        .is_write = point->is_write};
}

static RunRace result_race(const Race *race) {
  return (RunRace){.kernel = race->kernel,
                   .kind = race_kind_name(race->kind),
                   .space = race->is_shared ? "shared" : "global",
                   .where = race->where,
                   .advice = race->advice,
                   .benign = race->benign,
                   .count = race->count,
                   .points = {result_point(&race->points[0]), result_point(&race->points[1])}};
}

void race_results_add(RunResult *result, Races *races, uint32_t kept, const char *gpu) {
  const RaceTable *found = races_found(races);
  result->races.is_checked = true;
  result->races.count = kept;
  if (!races_check_warps(races) && !result->races.note)
    result->races.note = arena_printf(
        &result->arena,
        "lanes of a warp were not checked against each other: on %s they run in lockstep; "
        "--check races:warp=on checks them as on later GPUs",
        gpu);
  for (uint32_t i = 0; i < found->count; i++) {
    RunRace race = result_race(found->races[i]);
    if (race.benign && !races_report_all(races)) continue;
    run_result_add_race(result, &race);
  }
}
