// SPDX-License-Identifier: MIT
// Equal work between barriers: steps of warps that have more go to those that have less.
#include "base/memory.h"
#include "exec/recorded_steps.h"

// The steps of a warp up to its next barrier, or to its end.
typedef struct Phase {
  uint32_t first, count;  // without the barrier, or the last step
} Phase;

static bool ends_phase(const WarpSteps *warp, const Program *program, uint32_t i) {
  return i + 1 == warp->count || step_is_barrier(&program->code[warp->steps[i].pc]);
}

static Phase phase_at(const WarpSteps *warp, const Program *program, uint32_t first) {
  Phase phase = {.first = first};
  while (first + phase.count < warp->count && !ends_phase(warp, program, first + phase.count))
    phase.count++;
  return phase;
}

static uint32_t count_phases(const WarpSteps *warp, const Program *program) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < warp->count; i++) count += ends_phase(warp, program, i);
  return count;
}

// The steps of a warp beyond `most` go to those that have fewer, in their order, and before what
// these do themselves: a load that came late would be waited for at the barrier.
static void deal_steps(const RecordedCta *recorded, WarpSteps *made, const Phase *phases,
                       uint32_t most) {
  uint32_t to = 0, room = 0;
  for (uint32_t w = 0; w < recorded->warp_count; w++) {
    const WarpSteps *from = &recorded->warps[w];
    for (uint32_t k = most; k < phases[w].count; k++) {
      while (!room) {
        room = phases[to].count < most ? most - phases[to].count : 0;
        if (!room) to++;
        if (to == recorded->warp_count) return;
      }
      recorded_copy(&made[to], from, &from->steps[phases[w].first + k]);
      made[to].steps[made[to].count - 1].is_after_gap = true;
      if (!--room) to++;
    }
  }
}

// Unless one warp has clearly more than the mean, all keep their own.
static uint32_t most_steps(const Phase *phases, uint32_t warps) {
  uint64_t all = 0;
  uint32_t most = 0;
  for (uint32_t w = 0; w < warps; w++) {
    all += phases[w].count;
    if (phases[w].count > most) most = phases[w].count;
  }
  uint32_t mean = (uint32_t)((all + warps - 1) / warps);
  return 4 * (uint64_t)most > 5 * (uint64_t)mean ? mean : most;
}

static void balance_phase(RecordedCta *recorded, WarpSteps *made, Phase *phases,
                          const Program *program) {
  for (uint32_t w = 0; w < recorded->warp_count; w++)
    phases[w] = phase_at(&recorded->warps[w], program, phases[w].first);
  uint32_t most = most_steps(phases, recorded->warp_count);
  deal_steps(recorded, made, phases, most);
  for (uint32_t w = 0; w < recorded->warp_count; w++)
    for (uint32_t k = 0; k < phases[w].count && k < most; k++) {
      recorded_copy(&made[w], &recorded->warps[w], &recorded->warps[w].steps[phases[w].first + k]);
      made[w].steps[made[w].count - 1].is_after_gap |= k == 0;
    }
  for (uint32_t w = 0; w < recorded->warp_count; w++) {
    const WarpSteps *warp = &recorded->warps[w];
    uint32_t last = phases[w].first + phases[w].count;
    recorded_copy(&made[w], warp, &warp->steps[last]);
    made[w].steps[made[w].count - 1].is_after_gap = true;
    phases[w].first = last + 1;
  }
}

// CTAs whose warps arrive at different numbers of barriers stay as they are.
void recorded_cta_balance(RecordedCta *recorded, const Program *program) {
  uint32_t warps = recorded->warp_count, phases = count_phases(&recorded->warps[0], program);
  for (uint32_t w = 1; w < warps; w++)
    if (count_phases(&recorded->warps[w], program) != phases) return;
  WarpSteps *made = memory_alloc(sizeof *made * warps);
  Phase *at = memory_alloc(sizeof *at * warps);
  for (uint32_t p = 0; p < phases; p++) balance_phase(recorded, made, at, program);
  memory_free(at);
  recorded_cta_replace(recorded, made);
}
