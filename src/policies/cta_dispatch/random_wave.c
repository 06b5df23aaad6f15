// SPDX-License-Identifier: MIT
// Random within a wave: CTAs leave in order, but each goes to an SM chosen at
// random among those with room. The second pattern that the CTA-Clustering
// paper (ASPLOS 2017, section 3.1) observed on real cards. Seeded, so a run can
// be repeated.
#include "policies/cta_dispatch/cta_dispatch.h"

typedef struct RandomWave {
  uint64_t seed;    // parameter
  uint64_t random;  // state of xorshift64*, 0 before the first use
} RandomWave;

static uint64_t next_random(RandomWave *wave) {
  uint64_t x = wave->random ? wave->random : wave->seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  wave->random = x;
  return x * UINT64_C(0x2545f4914f6cdd1d);
}

static bool pick_of(void *state, const DispatchView *view, const DispatchKernel *kernel,
                    DispatchChoice *choice) {
  uint64_t random = next_random(state);
  choice->sm = dispatch_next_sm(view, kernel, (uint32_t)((random >> 32) % view->sm_count));
  choice->cta = kernel->next_cta;
  return true;
}

static bool random_wave_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  return dispatch_by_kernel(state, view, choice, pick_of);
}

static const Param random_wave_params[] = {PARAM(RandomWave, seed, 1, 0, UINT32_MAX, "random seed"),
                                           {0}};

const CtaDispatchType random_wave_dispatch = {
    .policy = {.name = "random_wave",
               .summary = "in order, each CTA to a random SM with room",
               .state_size = sizeof(RandomWave),
               .params = random_wave_params},
    .pick = random_wave_pick,
};
