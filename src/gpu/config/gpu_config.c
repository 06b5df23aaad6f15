// SPDX-License-Identifier: MIT
// The defaults describe a small machine; the values of real GPUs are in configs/, which is
// embedded in the program (base/files/embedded.h).
#include "gpu/config/gpu_config.h"

#include <string.h>

#include "base/text/closest.h"
#include "base/files/config_file.h"
#include "base/files/embedded.h"
#include "base/files/file.h"

static const char *const queue_mappings[] = {"any", "stream", NULL};
static const char *const cluster_orders[] = {"fixed", "turns", NULL};

static const Param chip_params[] = {
    PARAM_TEXT(ChipConfig, name, "unnamed", "name in results"),
    PARAM(ChipConfig, compute_capability, 20, 10, 200,
          "compute capability reported to CUDA programs; 75 means 7.5"),
    PARAM(ChipConfig, sm_count, 1, 1, 1024, "streaming multiprocessors"),
    PARAM(ChipConfig, sms_per_cluster, 1, 1, 64, "SMs per network port"),
    PARAM(ChipConfig, gpc_sms, 16, 1, 64, "SMs per GPC: a thread block cluster runs on one"),
    PARAM(ChipConfig, cluster_barrier_cycles, 180, 0, 10000,
          "barrier.cluster: cycles from the last arrival to the release"),
    PARAM(ChipConfig, core_clock_mhz, 700, 1, 100000, "SM clock"),
    PARAM(ChipConfig, noc_clock_mhz, 0, 0, 100000, "network clock; 0 = SM clock"),
    PARAM(ChipConfig, l2_clock_mhz, 0, 0, 100000, "L2 clock; 0 = SM clock"),
    PARAM(ChipConfig, dram_clock_mhz, 924, 0, 100000, "DRAM command clock; 0 = SM clock"),
    PARAM(ChipConfig, memory_mb, 1536, 1, 1 << 20, "device memory"),
    PARAM(ChipConfig, arrays_in_blocks, false, 0, 1,
          "arrays in blocks of 64 bytes by 8 rows instead of rows"),
    PARAM(ChipConfig, channels, 1, 1, 64, "memory channels"),
    PARAM(ChipConfig, slices_per_channel, 2, 1, 16, "L2 slices per channel"),
    PARAM_TEXT(ChipConfig, address_map, "interleave",
               "policy: mapping of addresses to channels, banks and rows"),
    PARAM_CHOICE(ChipConfig, cluster_order, ORDER_TURNS, cluster_orders,
                 "arbitration for a cluster's port: lowest SM first, or round robin"),
    PARAM(ChipConfig, cluster_response_entries, 32, 1, 4096, "response queue entries per cluster"),
    PARAM(ChipConfig, hardware_queues, 32, 1, MAX_HARDWARE_QUEUES,
          "hardware queues: concurrent kernels, each from a different stream"),
    PARAM(ChipConfig, queue_slots, 1, 1, 1 << 16,
          "kernels per hardware queue, the running one included"),
    PARAM_CHOICE(ChipConfig, queue_mapping, QUEUE_ANY, queue_mappings,
                 "hardware queue of a kernel: the emptiest, or its stream's"),
    PARAM(ChipConfig, launch_base_cycles, 20210, 0, 1 << 30,
          "launch latency of child kernels: cycles per launching warp"),
    PARAM(ChipConfig, launch_cycles_each, 1721, 0, 1 << 24,
          "launch latency of child kernels: additional cycles per child"),
    PARAM(ChipConfig, launch_holds_warp, true, 0, 1,
          "a launching warp stalls for the launch latency"),
    PARAM(ChipConfig, host_launch_cycles, 0, 0, 1 << 24,
          "launch cost of kernels from the host: cycles before the first CTA, counted as the "
          "kernel's"),
    PARAM(ChipConfig, cta_start_cycles, 0, 0, 1000,
          "cycles per CTA start, over all SMs; 0 = one CTA per cluster and cycle"),
    PARAM(ChipConfig, launch_depth, 24, 1, 1000, "maximum nesting depth of child kernels"),
    PARAM(ChipConfig, pending_launches, 2048, 1, MAX_PENDING_LAUNCHES,
          "maximum pending child kernels"),
    PARAM(ChipConfig, flush_l1_when_idle, true, 0, 1,
          "an SM's L1D is flushed when its last warp exits"),
    PARAM(ChipConfig, flush_l2_between_kernels, false, 0, 1, "flush the L2 before each kernel"),
    PARAM(ChipConfig, spread_small_grids, false, 0, 1,
          "spread a grid smaller than the GPU over all SMs, as in GPGPU-Sim"),
    PARAM(ChipConfig, deadlock_cycles, 1000000, 1000, UINT32_MAX,
          "cycles without progress before a deadlock is reported"),
    {0}};

static const Param policy_params[] = {
    PARAM_TEXT(PolicyConfig, warp_scheduler, "gto", "which warp issues next"),
    PARAM_TEXT(PolicyConfig, cta_dispatch, "round_robin", "which SM receives the next CTA"),
    PARAM_TEXT(PolicyConfig, kernel_scheduler, "fcfs", "which kernel enters a hardware queue"),
    PARAM_TEXT(PolicyConfig, throttle, "all", "how many CTAs an SM may hold"),
    PARAM_TEXT(PolicyConfig, prefetch, "none", "what an L1D prefetches"),
    PARAM_TEXT(PolicyConfig, l1_insertion, "all", "which loads an L1D caches or bypasses"),
    PARAM_TEXT(PolicyConfig, cluster_unit, "none",
               "unit between the L1Ds of a cluster and the network"),
    PARAM_TEXT(PolicyConfig, shared, "", "parameters of state shared by the scheme's policies"),
    PARAM(PolicyConfig, interval_cycles, 10000, 100, UINT32_MAX,
          "interval of periodic policy callbacks"),
    {0}};

static const char *const bounds_names[] = {"exact", "page", NULL};

static const Param run_params[] = {
    PARAM(RunConfig, stack_bytes_per_thread, 16384, 256, 1 << 20,
          "stack size where recursion or indirect calls make it unbounded"),
    PARAM(RunConfig, max_instructions, 0, 0, UINT64_MAX / 2,
          "stop after this many warp instructions; 0 = no limit"),
    PARAM(RunConfig, max_cycles, 0, 0, UINT64_MAX / 2, "stop after this many cycles; 0 = no limit"),
    PARAM(RunConfig, max_ctas, 0, 0, UINT64_MAX / 2,
          "stop after this many completed CTAs; 0 = no limit"),
    PARAM(RunConfig, max_launches, 0, 0, UINT64_MAX / 2,
          "stop before the host launches more kernels than this; 0 = no limit"),
    PARAM(RunConfig, max_loops, 1000000, 1, UINT32_MAX, "maximum loop iterations in a case file"),
    PARAM_CHOICE(
        RunConfig, bounds, BOUNDS_EXACT, bounds_names,
        "granularity of bounds checks on global accesses: bytes, or 2 MiB pages as in hardware"),
    PARAM(RunConfig, seed, 0, 0, UINT32_MAX,
          "perturbation: start skews of SMs and DRAM clock phase; 0 = none"),
    PARAM_TEXT(RunConfig, block, "",
               "block shape, such as 32x8, of launches without barriers and shared memory whose "
               "threads it divides evenly; empty = as launched"),
    {0}};

// Defaults of the other caches where they differ from the L1D, whose values are the
// defaults of the tables.
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

double gpu_config_dram_gb_per_s(const GpuConfig *config) {
  uint32_t mhz =
      config->gpu.dram_clock_mhz ? config->gpu.dram_clock_mhz : config->gpu.core_clock_mhz;
  return (double)config->gpu.channels * config->dram.command_bytes / config->dram.burst_ticks *
         mhz / 1000;
}

CompilerConfig gpu_compiler(const GpuConfig *config) {
  CompilerConfig compiler = config->compiler;
  if (!compiler.architecture) compiler.architecture = config->gpu.compute_capability;
  return compiler;
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
                   "unknown GPU '%.80s'%s%s%s (`heddle list gpus` lists them; a path ends in .cfg)",
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
