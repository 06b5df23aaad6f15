// SPDX-License-Identifier: MIT
#include "gpu/occupancy.h"

enum { THREADS_PER_WARP = 32, REGISTER_GRANULE = 4 };

static uint64_t round_up(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

static uint64_t fits(uint64_t available, uint64_t needed, uint64_t at_most) {
  uint64_t count = needed ? available / needed : at_most;
  return count < at_most ? count : at_most;
}

uint32_t occupancy_ctas_per_sm(const SmConfig *sm, const CtaNeeds *cta) {
  uint64_t threads = round_up(cta->threads, THREADS_PER_WARP);
  uint64_t ctas = sm->max_ctas;
  ctas = fits(sm->max_warps, threads / THREADS_PER_WARP, ctas);
  ctas = fits(sm->registers, threads * round_up(cta->registers_per_thread, REGISTER_GRANULE), ctas);
  ctas = fits((uint64_t)sm->shared_kb * 1024, cta->shared_bytes, ctas);
  return (uint32_t)ctas;
}
