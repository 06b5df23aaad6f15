// SPDX-License-Identifier: MIT
// Resident warps per SM, as the machine would place the kernel with another block size, number of
// registers or amount of shared memory, the rest unchanged.
#include <string.h>

#include "explain/charts.h"
#include "sm/residency/cta_limits.h"

typedef struct Shape {
  uint32_t threads, registers, shared_bytes;
} Shape;

typedef struct Fit {
  uint32_t ctas, warps;
  const char *limit;
} Fit;

// A kernel of which only the resources are known.
static Fit fit_of(const GpuConfig *config, Shape shape) {
  static const char *const names[CTA_LIMITS] = {[LIMIT_WARPS] = "warp slots",
                                                [LIMIT_CTAS] = "CTA slots",
                                                [LIMIT_REGISTERS] = "registers",
                                                [LIMIT_SHARED] = "shared memory"};
  const Function kernel = {.registers = shape.registers};
  const Launch launch = {.kernel = &kernel,
                         .grid = {1 << 20, 1, 1},
                         .block = {shape.threads, 1, 1},
                         .cluster = {1, 1, 1},
                         .dynamic_shared_bytes = shape.shared_bytes};
  CtaLimits limits = cta_limits(&config->sm, &launch, config->gpu.sm_count);
  return (Fit){limits.most, limits.most * launch_warps_per_cta(&launch), names[limits.limit]};
}

static json_t *point(uint32_t value, Fit fit) {
  return json_pack("[i, i, i, s]", (int)value, (int)fit.warps, (int)fit.ctas, fit.limit);
}

// The axis in steps, of which the kernel's own value is one.
static json_t *axis(const char *name, const char *unit, uint32_t current, uint32_t step,
                    json_t *points) {
  return json_pack("{s:s, s:s, s:i, s:i, s:o}", "name", name, "unit", unit, "current", (int)current,
                   "step", (int)step, "points", points);
}

static json_t *block_axis(const GpuConfig *config, Shape shape) {
  json_t *points = json_array();
  uint32_t current = (shape.threads + WARP_LANES - 1) / WARP_LANES * WARP_LANES;
  for (uint32_t threads = WARP_LANES; threads <= MAX_CTA_THREADS; threads += WARP_LANES)
    json_array_append_new(
        points,
        point(threads, fit_of(config, (Shape){threads, shape.registers, shape.shared_bytes})));
  return axis("block size", "threads per CTA", current, WARP_LANES, points);
}

static json_t *register_axis(const GpuConfig *config, Shape shape) {
  uint32_t step = config->sm.register_granularity ? config->sm.register_granularity : 1;
  uint32_t current = (shape.registers + step - 1) / step * step;
  uint32_t most = config->sm.thread_registers / step * step;
  json_t *points = json_array();
  if (most < current) most = current;
  for (uint32_t registers = 16 > step ? 16 : step; registers <= most; registers += step)
    json_array_append_new(
        points,
        point(registers, fit_of(config, (Shape){shape.threads, registers, shape.shared_bytes})));
  return axis("registers", "registers per thread", current, step, points);
}

// In sixty-fourths of what an SM has, and the kernel's own.
static json_t *shared_axis(const GpuConfig *config, Shape shape) {
  uint32_t most = config->sm.shared_kb * 1024, step = most / 64 ? most / 64 : 1;
  json_t *points = json_array();
  for (uint32_t bytes = 0; bytes <= most; bytes += step) {
    json_array_append_new(
        points, point(bytes, fit_of(config, (Shape){shape.threads, shape.registers, bytes})));
    if (bytes < shape.shared_bytes && shape.shared_bytes < bytes + step)
      json_array_append_new(points, point(shape.shared_bytes, fit_of(config, shape)));
  }
  return axis("shared memory", "bytes of shared memory per CTA", shape.shared_bytes, step, points);
}

json_t *chart_occupancy(const GpuConfig *config, const KernelFacts *kernel) {
  Shape shape = {.threads = kernel->block[0] * kernel->block[1] * kernel->block[2],
                 .registers = kernel->registers,
                 .shared_bytes = kernel->shared_bytes};
  if (!shape.threads || shape.threads > MAX_CTA_THREADS) return NULL;
  Fit fit = fit_of(config, shape);
  double achieved = kernel_fact(kernel, "sm.warp_cycles");
  double active = kernel_fact(kernel, "sm.active_cycles");
  return json_pack("{s:i, s:i, s:i, s:s, s:f, s:[o, o, o]}", "max_warps", (int)config->sm.max_warps,
                   "warps", (int)fit.warps, "ctas", (int)fit.ctas, "limit", fit.limit,
                   "achieved_warps", active > 0 ? achieved / active : 0, "axes",
                   block_axis(config, shape), register_axis(config, shape),
                   shared_axis(config, shape));
}
