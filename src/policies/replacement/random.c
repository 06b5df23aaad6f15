// SPDX-License-Identifier: MIT
// Random: any line that may go, from a seed, so that runs repeat.
//
// The numbers come from a 64-bit xorshift generator (Marsaglia, "Xorshift
// RNGs", Journal of Statistical Software 8(14), 2003).
#include "policies/replacement/replacement.h"

typedef struct Random {
  uint64_t seed;
  uint64_t bits;  // 0: not started
} Random;

static uint64_t next_bits(Random *random) {
  uint64_t bits = random->bits ? random->bits : random->seed * 0x9e3779b97f4a7c15u;
  bits ^= bits << 13;
  bits ^= bits >> 7;
  bits ^= bits << 17;
  return random->bits = bits;
}

static uint32_t random_victim(void *state, const SetView *view) {
  uint64_t left = view->candidates;
  uint64_t count = (uint64_t)__builtin_popcountll(left);
  for (uint64_t skip = (next_bits(state) >> 32) * count >> 32; skip; skip--) left &= left - 1;
  return (uint32_t)__builtin_ctzll(left);
}

static const Param random_params[] = {PARAM(Random, seed, 1, 1, UINT32_MAX, "random seed"), {0}};

const ReplacementType random_replacement = {
    .policy = {.name = "random",
               .summary = "random, from a seed",
               .state_size = sizeof(Random),
               .params = random_params},
    .victim = random_victim,
};
