// SPDX-License-Identifier: MIT
// The defaults are small and harmless; the values of real machines stand in
// configs/, which is part of the program (base/embedded.h).
#include "gpu/gpu_config.h"

#include <string.h>

#include "base/closest.h"
#include "base/config_file.h"
#include "base/embedded.h"
#include "base/file.h"

static const char *const queue_mappings[] = {"any", "stream", NULL};
static const char *const cluster_orders[] = {"fixed", "turns", NULL};

static const Param chip_params[] = {
    PARAM_TEXT(ChipConfig, name, "unnamed", "what it is called in results"),
    PARAM(ChipConfig, compute_capability, 20, 10, 200, "75 means 7.5; what CUDA programs are told"),
    PARAM(ChipConfig, sm_count, 1, 1, 1024, "streaming multiprocessors"),
    PARAM(ChipConfig, sms_per_cluster, 1, 1, 64, "SMs that share a port of the network"),
    PARAM(ChipConfig, core_clock_mhz, 700, 1, 100000, "clock of the SMs"),
    PARAM(ChipConfig, noc_clock_mhz, 0, 0, 100000, "clock of the network; 0 = the core's"),
    PARAM(ChipConfig, l2_clock_mhz, 0, 0, 100000, "clock of the L2; 0 = the core's"),
    PARAM(ChipConfig, dram_clock_mhz, 924, 0, 100000, "command clock of the DRAM; 0 = the core's"),
    PARAM(ChipConfig, memory_mb, 1536, 1, 1 << 20, "device memory"),
    PARAM(ChipConfig, channels, 1, 1, 64, "memory channels"),
    PARAM(ChipConfig, slices_per_channel, 2, 1, 16, "L2 slices of a channel"),
    PARAM_TEXT(ChipConfig, address_map, "interleave", "policy: where an address lies"),
    PARAM_CHOICE(ChipConfig, cluster_order, ORDER_TURNS, cluster_orders,
                 "the SM of a cluster that comes first at its port: the lowest, or each in turn"),
    PARAM(ChipConfig, cluster_response_entries, 32, 1, 4096, "answers that wait in a cluster"),
    PARAM(ChipConfig, hardware_queues, 32, 1, MAX_HARDWARE_QUEUES,
          "hardware queues: kernels that run concurrently, each of another stream"),
    PARAM(ChipConfig, queue_slots, 1, 1, 1 << 16,
          "kernels per hardware queue: the one that runs and those behind it"),
    PARAM_CHOICE(ChipConfig, queue_mapping, QUEUE_ANY, queue_mappings,
                 "hardware queue that a kernel enters: the emptiest, or its stream's"),
    PARAM(ChipConfig, launch_base_cycles, 20210, 0, 1 << 30,
          "cycles until kernels arrive that a warp launches: this ..."),
    PARAM(ChipConfig, launch_cycles_each, 1721, 0, 1 << 24, "... and this for each of them"),
    PARAM(ChipConfig, launch_depth, 24, 1, 1000, "how deep kernels may launch kernels"),
    PARAM(ChipConfig, pending_launches, 2048, 1, MAX_PENDING_LAUNCHES,
          "kernels launched by kernels that have not begun"),
    PARAM(ChipConfig, flush_l1_when_idle, true, 0, 1, "an SM without warps loses its L1D's lines"),
    PARAM(ChipConfig, flush_l2_between_kernels, false, 0, 1, "kernels begin with an empty L2"),
    PARAM(ChipConfig, spread_small_grids, false, 0, 1,
          "a grid that would not fill the GPU is spread over all SMs, as in GPGPU-Sim"),
    PARAM(ChipConfig, deadlock_cycles, 1000000, 1000, UINT32_MAX,
          "cycles without progress after which a run is given up"),
    {0}};

static const Param policy_params[] = {
    PARAM_TEXT(PolicyConfig, warp_scheduler, "gto", "which warp issues next"),
    PARAM_TEXT(PolicyConfig, cta_dispatch, "round_robin", "which SM gets the next CTA"),
    PARAM_TEXT(PolicyConfig, kernel_scheduler, "fcfs", "which kernel enters a hardware queue"),
    PARAM_TEXT(PolicyConfig, throttle, "all", "how many CTAs an SM may hold"),
    PARAM_TEXT(PolicyConfig, prefetch, "none", "what an L1D fetches before it is asked for"),
    PARAM_TEXT(PolicyConfig, l1_insertion, "all", "what an L1D keeps and what it lets pass"),
    PARAM_TEXT(PolicyConfig, cluster_unit, "none", "what stands between L1s and network"),
    PARAM_TEXT(PolicyConfig, shared, "", "parameters of parts that its policies share"),
    PARAM(PolicyConfig, interval_cycles, 10000, 100, UINT32_MAX,
          "how often policies look that look now and then"),
    {0}};

static const char *const bounds_names[] = {"exact", "page", NULL};

static const Param run_params[] = {
    PARAM(RunConfig, stack_bytes_per_thread, 16384, 256, 1 << 20,
          "stack where recursion or indirect calls leave it without a bound"),
    PARAM(RunConfig, max_instructions, 0, 0, UINT64_MAX / 2,
          "warp instructions after which a run stops; 0 = no limit"),
    PARAM(RunConfig, max_cycles, 0, 0, UINT64_MAX / 2,
          "cycles after which a run stops; 0 = no limit"),
    PARAM(RunConfig, max_ctas, 0, 0, UINT64_MAX / 2,
          "CTAs that have ended after which a run stops; 0 = no limit"),
    PARAM(RunConfig, max_loops, 1000000, 1, UINT32_MAX,
          "times that the loops of a case file may go back"),
    PARAM_CHOICE(RunConfig, bounds, BOUNDS_EXACT, bounds_names,
                 "granularity at which kernels' global accesses are checked: bytes, or pages of 2 "
                 "MiB as in hardware"),
    {0}};

// What the other caches have where they differ from the L1D, whose values are
// the tables' defaults.
static const char cache_defaults[] =
    "[l1i]\nsets=4\nwrite_policy=read_only\nallocate=on_fill\nmshrs=2\nmshr_merges=32\n"
    "miss_queue=4\nmiss_queue_reserve=0\ntrack_cold=false\n"
    "[l1c]\nsets=64\nways=2\nline_bytes=64\nwrite_policy=read_only\nallocate=on_fill\nmshrs=2\n"
    "mshr_merges=32\nmiss_queue=4\nmiss_queue_reserve=0\ntrack_cold=false\n"
    "[l1t]\nsets=4\nways=24\nwrite_policy=read_only\nallocate=on_fill\nmshrs=128\nmshr_merges=4\n"
    "miss_queue=128\nmiss_queue_reserve=0\ntrack_cold=false\n"
    "[l2]\nsets=64\nways=8\nsectored=true\nwrite_policy=back\nwrite_allocate=lazy\nmshrs=256\n"
    "mshr_merges=4\nmiss_queue=4\n";

void gpu_config_sections(GpuConfig *config, ParamSection sections[GPU_SECTION_COUNT + 1]) {
#define X(name, Struct, table, summary) \
  sections[GPU_SECTION_##name] = (ParamSection){#name, summary, table, &config->name};
  GPU_SECTION_LIST(X)
#undef X
  sections[GPU_SECTION_COUNT] = (ParamSection){0};
}

DeviceRuntimeLimits gpu_runtime_limits(const GpuConfig *config) {
  return (DeviceRuntimeLimits){.depth = config->gpu.launch_depth,
                               .pending = config->gpu.pending_launches,
                               .stack_bytes = config->run.stack_bytes_per_thread};
}

static const char folder[] = "configs/", ending[] = ".cfg";

const char *gpu_config_shipped(size_t index, char out[GPU_NAME_BYTES]) {
  return embedded_at(folder, ending, index, out) ? out : NULL;
}

static Status load_shipped(const ParamSection *sections, const char *gpu, Error *err) {
  char name[GPU_NAME_BYTES];
  const EmbeddedFile *file;
  Closest closest = closest_start(gpu);
  for (size_t i = 0; (file = embedded_at(folder, ending, i, name)); i++) {
    if (strcmp(name, gpu) == 0)
      return config_text_read(sections, file->name, file->text, file->size_bytes, err);
    closest_offer(&closest, name);
  }
  return error_set(err, ERR_CONFIG,
                   "unknown GPU '%.80s'%s%s%s (`heddle list gpus` names them; a path ends in .cfg)",
                   gpu, CLOSEST_HINT(closest));
}

Status gpu_config_load(GpuConfig *config, const char *gpu, Error *err) {
  ParamSection sections[GPU_SECTION_COUNT + 1];
  memset(config, 0, sizeof *config);
  gpu_config_sections(config, sections);
  param_set_defaults(sections);
  TRY(config_text_read(sections, "defaults", cache_defaults, sizeof cache_defaults - 1, err));
  return word_is_path(gpu, ending) ? config_file_read(sections, gpu, err)
                                   : load_shipped(sections, gpu, err);
}

Status gpu_config_assign(GpuConfig *config, const char *assignment, Error *err) {
  ParamSection sections[GPU_SECTION_COUNT + 1];
  gpu_config_sections(config, sections);
  return param_assign(sections, assignment, err);
}
