// SPDX-License-Identifier: MIT
// Differences between two runs of one program that a real machine has and a simulator does not:
// run.seed draws them anew whenever a kernel starts on an idle GPU. Two kinds:
//   - SMs become ready for their first CTA up to SKEW_CYCLES - 1 cycles apart, which also changes
//     the order of the first wave: a CTA goes to another SM than in other runs;
//   - the DRAM's clock starts at another phase, so rows open and bursts begin at other times.
// Values of a program change only if they depend on the order of its own atomics or races. With
// seed 0 nothing is drawn. Skews are small: a large one would place neighbouring CTAs on one SM.
#include "base/murmur_hash.h"
#include "gpu/machine.h"

enum { SKEW_CYCLES = 4, DRAM_DRAW = 0x10000 };

static uint32_t draw(const Gpu *gpu, const GpuKernel *kernel, uint32_t what) {
  uint64_t key = (uint64_t)kernel->run.id << 32 | what;
  return murmur_hash2_u64(key, gpu->config.run.seed);
}

// A launch from the host has to pay its launch cost before any SM receives a CTA.
void perturbation_start(Gpu *gpu, const GpuKernel *kernel) {
  if (!gpu->config.run.seed) return;
  Dispatch *dispatch = &gpu->dispatch;
  Cycle first = gpu->now + 1;
  if (!kernel->is_child) first += gpu->config.gpu.host_launch_cycles;
  if (!dispatch->ready) dispatch->ready = ARENA_ARRAY(&gpu->arena, Cycle, gpu->sm_count);
  for (uint32_t s = 0; s < gpu->sm_count; s++)
    dispatch->ready[s] = first + draw(gpu, kernel, s) % SKEW_CYCLES;
  dispatch->all_ready = first + SKEW_CYCLES - 1;
  clock_shift(&gpu->clock, CLOCK_DRAM, draw(gpu, kernel, DRAM_DRAW));
}

bool perturbation_holds(const Gpu *gpu, uint32_t s) {
  return gpu->now < gpu->dispatch.all_ready && gpu->now < gpu->dispatch.ready[s];
}

Cycle perturbation_next(const Gpu *gpu) {
  return gpu->now < gpu->dispatch.all_ready ? gpu->now + 1 : NEVER;
}
