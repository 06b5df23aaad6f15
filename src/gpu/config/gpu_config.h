// SPDX-License-Identifier: MIT
// The configuration of a GPU: one struct a section, one table a struct.
//
// To add a section, write its struct and its Param table and name both in
// GPU_SECTION_LIST; files, --set, listings and results then know it.
#ifndef GPU_CONFIG_GPU_CONFIG_H
#define GPU_CONFIG_GPU_CONFIG_H

#include "base/files/embedded.h"
#include "gpu/energy.h"
#include "gpu/config/ideal.h"
#include "isa/compiler.h"
#include "runtime/device_runtime.h"
#include "memory/cache/cache.h"
#include "memory/crossbar.h"
#include "memory/dram/dram.h"
#include "memory/l2_slice.h"
#include "sm/sm_config.h"
#include "sm/units/tensor.h"

// Which SM of a cluster is the first to find room in its port.
typedef enum ClusterOrder {
  ORDER_FIXED,  // always the one with the lowest number
  ORDER_TURNS,  // another in each cycle
} ClusterOrder;

// Which hardware queue a kernel enters.
typedef enum QueueMapping {
  QUEUE_ANY,     // the queue with the fewest kernels
  QUEUE_STREAM,  // its stream's: the stream's number modulo the number of queues
} QueueMapping;

// [gpu]
typedef struct ChipConfig {
  uint32_t gpc_sms;                 // SMs of a GPC, on which the CTAs of a thread block cluster run
  uint32_t cluster_barrier_cycles;  // barrier.cluster: from the last arrival to the release
  char name[64];
  uint32_t compute_capability;  // 75 means 7.5; as reported to programs
  uint32_t sm_count, sms_per_cluster;
  uint32_t core_clock_mhz, noc_clock_mhz, l2_clock_mhz, dram_clock_mhz;  // 0: as the core's
  uint32_t memory_mb;
  bool arrays_in_blocks;  // of 64 bytes by 8 rows; else rows
  uint32_t channels, slices_per_channel;
  char address_map[POLICY_SPEC_BYTES];
  unsigned cluster_order;               // ClusterOrder
  uint32_t cluster_response_entries;    // answers that a cluster holds for its SMs
  // Hardware queues of the grid management unit. A queue runs the kernels that it holds one
  // after the other; a kernel without a free slot stays in the pool of pending kernels.
  uint32_t hardware_queues, queue_slots;
  unsigned queue_mapping;               // QueueMapping
  // Child kernels: x simultaneous launches of a warp arrive after each * x + base cycles.
  uint32_t launch_base_cycles, launch_cycles_each;
  bool launch_holds_warp;
  // Kernels that the host launches: so many cycles of them before the first CTA starts; the
  // GPU starts a CTA per cta_start_cycles at most.
  uint32_t host_launch_cycles;
  double cta_start_cycles;
  uint32_t launch_depth, pending_launches;  // at most MAX_PENDING_LAUNCHES
  bool flush_l1_when_idle, flush_l2_between_kernels;
  bool spread_small_grids;              // a grid that would not fill the GPU is spread over all SMs
  uint32_t deadlock_cycles;             // cycles without any progress that end a run
} ChipConfig;

// [policy]: the choices; a scheme is a set of them.
typedef struct PolicyConfig {
  char warp_scheduler[POLICY_SPEC_BYTES];
  char cta_dispatch[POLICY_SPEC_BYTES];
  char kernel_scheduler[POLICY_SPEC_BYTES];
  char throttle[POLICY_SPEC_BYTES];
  char prefetch[POLICY_SPEC_BYTES];
  char l1_insertion[POLICY_SPEC_BYTES];
  char cluster_unit[POLICY_SPEC_BYTES];
  char shared[POLICY_SPEC_BYTES];       // parts that policies work on together, "a:x=1; b"
  uint32_t interval_cycles;             // between two looks of a policy that looks now and then
} PolicyConfig;

enum { MAX_HARDWARE_QUEUES = 128, MAX_PENDING_LAUNCHES = 1 << 24 };

// [run]
typedef struct RunConfig {
  uint32_t stack_bytes_per_thread;
  uint64_t max_instructions;
  uint64_t max_cycles, max_ctas, max_launches;
  uint32_t max_loops;
  unsigned bounds;  // MemoryBounds
  uint32_t seed;    // of perturbations; 0: none
  char block[32];   // threads of a block, such as "32x8", of launches that allow it; or empty
} RunConfig;

// section and field, struct, table, summary
#define GPU_SECTION_LIST(X)                                                         \
  X(gpu, ChipConfig, chip_params, "the whole chip")                                 \
  X(policy, PolicyConfig, policy_params, "policies")                                \
  X(compiler, CompilerConfig, compiler_params, "from PTX to what the SMs run")      \
  X(sm, SmConfig, sm_params, "streaming multiprocessor")                            \
  X(latency, LatencyConfig, latency_params, "arithmetic latencies and intervals")   \
  X(tensor, TensorConfig, tensor_params, "latencies and rates of the tensor cores") \
  X(l1d, CacheConfig, cache_params, "L1 data cache, per SM")                        \
  X(l1i, CacheConfig, cache_params, "L1 instruction cache, per SM")                 \
  X(l1c, CacheConfig, cache_params, "L1 constant cache, per SM")                    \
  X(l1t, CacheConfig, cache_params, "L1 texture cache, per SM")                     \
  X(noc, CrossbarConfig, crossbar_params, "network, per direction")                 \
  X(l2, CacheConfig, cache_params, "an L2 slice")                                   \
  X(partition, PartitionConfig, partition_params,                                   \
    "memory partition: queues around the L2 slices of a channel")                   \
  X(dram, DramConfig, dram_params, "a memory channel")                              \
  X(ideal, IdealConfig, ideal_params, "oracles: idealised parts of the machine")    \
  X(energy, EnergyConfig, energy_params, "energy per event")                        \
  X(run, RunConfig, run_params, "run limits and perturbation")

struct GpuConfig {
#define X(name, Struct, table, summary) Struct name;
  GPU_SECTION_LIST(X)
#undef X
};

enum {
#define X(name, Struct, table, summary) GPU_SECTION_##name,
  GPU_SECTION_LIST(X)
#undef X
      GPU_SECTION_COUNT
};

// The sections of a configuration, ready for the functions of base/param.h.
// They point into config. The last one is {0}.
void gpu_config_sections(GpuConfig *config, ParamSection sections[GPU_SECTION_COUNT + 1]);

// Defaults, then a GPU by the name of a shipped one ("gtx480") or by the path
// of a file (anything with a '/' or ending in ".cfg").
Status gpu_config_load(GpuConfig *config, const char *gpu, Error *err);
// "section.key=value"
Status gpu_config_assign(GpuConfig *config, const char *assignment, Error *err);

// Peak bandwidth of the data buses of all channels.
double gpu_config_dram_gb_per_s(const GpuConfig *config);
// The compiler of its programs, with the architecture that it compiles for.
CompilerConfig gpu_compiler(const GpuConfig *config);
// What kernels that launch kernels are held to.
DeviceRuntimeLimits gpu_runtime_limits(const GpuConfig *config);

// The shipped GPUs by index; NULL past the last. The name is copied to out.
enum { GPU_NAME_BYTES = EMBEDDED_NAME_BYTES };
const char *gpu_config_shipped(size_t index, char out[GPU_NAME_BYTES]);

#define GPU_DEFAULT "gtx480"

#endif
