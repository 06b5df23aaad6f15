// SPDX-License-Identifier: MIT
// Creates and checks launch records: shape, bounds, shared memory.
#include "isa/launch.h"

#include "base/memory.h"

const uint32_t launch_max_grid[3] = {0x7fffffff, 65535, 65535};
const uint32_t launch_max_block[3] = {1024, 1024, 64};
enum { MAX_SHARED_BYTES = 256 * 1024 };

static Status check_shape(const char *kernel, const char *what, const uint32_t shape[3],
                          const uint32_t limits[3], Error *err) {
  for (int i = 0; i < 3; i++)
    if (shape[i] < 1 || shape[i] > limits[i])
      return error_set(err, ERR_PROGRAM,
                       "kernel %s: %s %u x %u x %u out of range 1..%u x 1..%u x 1..%u", kernel,
                       what, shape[0], shape[1], shape[2], limits[0], limits[1], limits[2]);
  return OK;
}

static Status check_bounds(const Launch *launch, Error *err) {
  const Function *kernel = launch->kernel;
  const uint32_t *block = launch->block, *required = kernel->required_threads;
  uint64_t threads = launch_threads_per_cta(launch);
  if (threads > MAX_CTA_THREADS)
    return error_set(err, ERR_PROGRAM, "kernel %s: %llu threads per CTA, at most %d are supported",
                     function_title(kernel), (unsigned long long)threads, MAX_CTA_THREADS);
  for (int i = 0; i < 3 && required[0]; i++)
    if (block[i] != required[i])
      return error_set(err, ERR_PROGRAM,
                       "kernel %s: block %u x %u x %u, but .reqntid requires %u x %u x %u",
                       function_title(kernel), block[0], block[1], block[2], required[0],
                       required[1], required[2]);
  const uint32_t *most = kernel->max_threads;
  uint64_t limit = (uint64_t)most[0] * most[1] * most[2];
  if (most[0] && threads > limit)
    return error_set(err, ERR_PROGRAM, "kernel %s: %llu threads per CTA, but .maxntid allows %llu",
                     function_title(kernel), (unsigned long long)threads,
                     (unsigned long long)limit);
  if ((uint64_t)kernel->static_shared_bytes + launch->dynamic_shared_bytes > MAX_SHARED_BYTES)
    return error_set(err, ERR_PROGRAM, "kernel %s: %u + %u bytes of shared memory, at most %d",
                     function_title(kernel), kernel->static_shared_bytes, launch->dynamic_shared_bytes,
                     MAX_SHARED_BYTES);
  return OK;
}

Status launch_init(Launch *launch, const Program *program, const Function *kernel,
                   const uint32_t grid[3], const uint32_t block[3], const uint8_t *params,
                   uint32_t dynamic_shared_bytes, uint32_t stack_bytes, Error *err) {
  *launch = (Launch){
      .program = program,
      .kernel = kernel,
      .grid = {grid[0], grid[1], grid[2]},
      .block = {block[0], block[1], block[2]},
      .params = params,
      .dynamic_shared_bytes = dynamic_shared_bytes,
      .local_bytes = kernel->stack_bytes,
  };
  if (kernel->stack_is_unbounded) launch->local_bytes = kernel->local_bytes + stack_bytes;
  TRY(check_shape(function_title(kernel), "grid", grid, launch_max_grid, err));
  TRY(check_shape(function_title(kernel), "block", block, launch_max_block, err));
  TRY(check_bounds(launch, err));
  const uint32_t *cluster = kernel->cluster;
  return launch_set_cluster(launch, cluster[0] ? cluster : (const uint32_t[]){1, 1, 1}, err);
}

Status launch_set_cluster(Launch *launch, const uint32_t cluster[3], Error *err) {
  uint64_t size = 1;
  for (int i = 0; i < 3; i++) {
    launch->cluster[i] = cluster[i] ? cluster[i] : 1;
    size *= launch->cluster[i];
    if (size > MAX_CLUSTER_CTAS)
      return error_set(err, ERR_PROGRAM, "kernel %s: a cluster of %u x %u x %u CTAs, at most %d",
                       function_title(launch->kernel), cluster[0], cluster[1], cluster[2],
                       MAX_CLUSTER_CTAS);
    if (launch->grid[i] % launch->cluster[i])
      return error_set(err, ERR_PROGRAM,
                       "kernel %s: grid %u x %u x %u is no multiple of its cluster, %u x %u x %u",
                       function_title(launch->kernel), launch->grid[0], launch->grid[1],
                       launch->grid[2], cluster[0], cluster[1], cluster[2]);
  }
  return OK;
}

void launch_destroy(Launch *launch) {
  if (!launch) return;
  memory_free((void *)(uintptr_t)launch->params);
  memory_free(launch->after);
  result_tables_clear(&launch->tables);
  memory_free(launch);
}

uint64_t launch_cta_count(const Launch *launch) {
  return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

uint32_t launch_threads_per_cta(const Launch *launch) {
  return launch->block[0] * launch->block[1] * launch->block[2];
}

uint32_t launch_warps_per_cta(const Launch *launch) {
  return (launch_threads_per_cta(launch) + WARP_LANES - 1) / WARP_LANES;
}

uint32_t launch_shared_bytes(const Launch *launch) {
  return launch->kernel->static_shared_bytes + launch->dynamic_shared_bytes;
}
