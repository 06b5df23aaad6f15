// SPDX-License-Identifier: MIT
// How many CTAs of a kernel an SM holds, and which resource limits them: the four limits of CUDA's
// occupancy calculator, and the size of the grid.
#include "sm/residency/cta_limits.h"

static uint32_t round_up(uint32_t value, uint32_t to) {
  return (value + to - 1) / to * to;
}

// What an assembler for this GPU may use under .minnctapersm. Values that do not fit would be
// spilled, which is not modelled. (Under .maxntid alone the linker's bound suffices: a CTA fits.)
static uint32_t launch_bound(const SmConfig *config, const Function *kernel) {
  enum { LEAST = 16 };
  const uint32_t *block =
      kernel->required_threads[0] ? kernel->required_threads : kernel->max_threads;
  uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
  if (!threads || !kernel->min_ctas_per_sm) return config->thread_registers;
  uint64_t lanes = (threads + WARP_LANES - 1) / WARP_LANES * WARP_LANES * kernel->min_ctas_per_sm;
  uint64_t each = config->registers / lanes;
  each -= each % config->register_granularity;
  if (each < LEAST) return LEAST;
  return each < config->thread_registers ? (uint32_t)each : config->thread_registers;
}

uint32_t sm_thread_registers(const SmConfig *config, const Function *kernel) {
  uint32_t most = launch_bound(config, kernel);
  return kernel->registers < most ? kernel->registers : most;
}

// With what is kept for the system, if there is room for it.
static uint32_t shared_need(const SmConfig *config, const Launch *launch) {
  uint32_t own = launch_shared_bytes(launch), all = config->shared_kb * 1024;
  uint32_t reserved =
      own + config->shared_reserved_bytes <= all ? config->shared_reserved_bytes : 0;
  return round_up(own + reserved, config->shared_granularity_bytes);
}

CtaNeed cta_need(const SmConfig *config, const Launch *launch) {
  CtaNeed need = {.warps = launch_warps_per_cta(launch)};
  need.threads = need.warps * WARP_LANES;
  need.registers = need.threads * round_up(sm_thread_registers(config, launch->kernel),
                                           config->register_granularity);
  need.shared_bytes = shared_need(config, launch);
  if (config->ideal.no_register_limit) need.registers = 0;
  if (config->ideal.no_shared_limit) need.shared_bytes = 0;
  return need;
}

static uint32_t quotient(uint32_t all, uint32_t each) {
  return each ? all / each : UINT32_MAX;
}

static void limits_of_sm(const SmConfig *config, const CtaNeed *need, uint32_t ctas[CTA_LIMITS]) {
  ctas[LIMIT_WARPS] = quotient(config->max_warps, need->warps);
  ctas[LIMIT_CTAS] = config->max_ctas;
  ctas[LIMIT_REGISTERS] = quotient(config->registers, need->registers);
  ctas[LIMIT_SHARED] = quotient(config->shared_kb * 1024, need->shared_bytes);
}

// The resource that allows the fewest CTAs, but for `except`.
static CtaLimit tightest(const uint32_t ctas[CTA_LIMITS], CtaLimit except) {
  CtaLimit found = except == LIMIT_WARPS ? LIMIT_CTAS : LIMIT_WARPS;
  for (int limit = 0; limit < CTA_LIMITS; limit++)
    if (limit != (int)except && ctas[limit] < ctas[found]) found = (CtaLimit)limit;
  return found;
}

uint32_t sm_max_ctas(const SmConfig *config, const Launch *launch) {
  CtaNeed need = cta_need(config, launch);
  uint32_t ctas[CTA_LIMITS];
  limits_of_sm(config, &need, ctas);
  return ctas[tightest(ctas, CTA_LIMITS)];
}

// What leaves room for one CTA more, as far as other resources have it.
static void relax(const SmConfig *config, const CtaNeed *need, CtaLimits *limits) {
  bool by_registers = limits->limit == LIMIT_REGISTERS;
  if (!by_registers && limits->limit != LIMIT_SHARED) return;
  uint32_t others = limits->ctas[tightest(limits->ctas, limits->limit)];
  uint32_t all = by_registers ? config->registers / need->threads : config->shared_kb * 1024;
  uint32_t step = by_registers ? config->register_granularity : config->shared_granularity_bytes;
  uint32_t each = all / (limits->most + 1) / step * step;
  if (!each || others <= limits->most) return;
  limits->relaxed = each;
  limits->relaxed_ctas = all / each < others ? all / each : others;
}

CtaLimits cta_limits(const SmConfig *config, const Launch *launch, uint32_t sm_count) {
  CtaNeed need = cta_need(config, launch);
  CtaLimits limits = {0};
  uint64_t spread = (launch_cta_count(launch) + sm_count - 1) / sm_count;
  limits_of_sm(config, &need, limits.ctas);
  limits.limit = tightest(limits.ctas, CTA_LIMITS);
  limits.most = limits.ctas[limits.limit];
  limits.grid_is_small = spread < limits.most;
  relax(config, &need, &limits);
  return limits;
}
