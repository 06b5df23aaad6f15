// SPDX-License-Identifier: MIT
// Device properties in the layout of the program's CUDA version. Fields added or removed in
// a version are between #if; their offsets matter.
#ifndef CUDART_PROPERTIES_H
#define CUDART_PROPERTIES_H

#include "cudart/api.h"

typedef struct DeviceProperties {
  char name[256], uuid[16], luid[8];
  unsigned luid_mask;
  size_t total_global_bytes, shared_bytes_per_block;
  int registers_per_block, warp_size;
  size_t max_pitch;
  int max_threads_per_block, max_threads[3], max_grid[3];
#if CUDA_MAJOR < 13
  int clock_khz;
#endif
  size_t total_const_bytes;
  int major, minor;
  size_t texture_alignment, texture_pitch_alignment;
#if CUDA_MAJOR < 13
  int device_overlap;
#endif
  int multiprocessors;
#if CUDA_MAJOR < 13
  int has_kernel_timeout;
#endif
  int is_integrated, can_map_host;
#if CUDA_MAJOR < 13
  int compute_mode;
#endif
  int max_texture_1d, max_texture_1d_mipmap;
#if CUDA_MAJOR < 13
  int max_texture_1d_linear;
#endif
  int max_texture_2d[2], max_texture_2d_mipmap[2], max_texture_2d_linear[3],
      max_texture_2d_gather[2], max_texture_3d[3], max_texture_3d_alternative[3],
      max_texture_cubemap, max_texture_1d_layered[2], max_texture_2d_layered[3],
      max_texture_cubemap_layered[2];
  int max_surface_1d, max_surface_2d[2], max_surface_3d[3], max_surface_1d_layered[2],
      max_surface_2d_layered[3], max_surface_cubemap, max_surface_cubemap_layered[2];
  size_t surface_alignment;
  int concurrent_kernels, ecc_enabled, pci_bus, pci_device, pci_domain, tcc_driver, async_engines,
      unified_addressing;
#if CUDA_MAJOR < 13
  int memory_clock_khz;
#endif
  int memory_bus_bits, l2_bytes, max_persisting_l2_bytes, max_threads_per_multiprocessor,
      stream_priorities, global_l1, local_l1;
  size_t shared_bytes_per_multiprocessor;
  int registers_per_multiprocessor, managed_memory, is_multi_gpu, multi_gpu_group,
      host_native_atomics;
#if CUDA_MAJOR < 13
  int single_to_double_ratio;
#endif
  int pageable_access, concurrent_managed, compute_preemption, host_pointer_for_registered,
      cooperative_launch;
#if CUDA_MAJOR < 13
  int cooperative_multi_device;
#endif
  size_t shared_bytes_per_block_optin;
  int pageable_by_host_tables, managed_from_host, max_blocks_per_multiprocessor, max_access_window;
  size_t reserved_shared_bytes;
#if CUDA_MAJOR >= 12
  int host_register, sparse_arrays, host_register_read_only, timeline_semaphores, memory_pools,
      direct_rdma;
  unsigned direct_rdma_flush;
  int direct_rdma_ordering;
  unsigned pool_handle_types;
  int deferred_arrays, ipc_events, cluster_launch, unified_functions;
#endif
#if CUDA_MAJOR == 12
  int reserved[63];
#elif CUDA_MAJOR >= 13
  int numa_config, numa_id, mps_enabled, host_numa_id;
  unsigned gpu_pci_device, gpu_pci_subsystem;
  int numa_ipc, reserved[56];
#endif
} DeviceProperties;

// CUDA 12 keeps the shorter struct of 11 for programs that were built with it.
enum { PROPERTIES_BYTES_11 = 728 };

#endif
