// SPDX-License-Identifier: MIT
// How many CTAs fit, and which block size fills an SM best.
#include "cudadriver/api.h"

static CUresult active_blocks(int *blocks, DeviceKernel *kernel, int threads, size_t shared_bytes) {
  uint32_t ctas = 0;
  DeviceError error = device_kernel_occupancy(
      api_device(), kernel, threads < 0 ? 0 : (uint32_t)threads, shared_bytes, &ctas);
  *blocks = (int)ctas;
  return api_result(error);
}

EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                            int threads, size_t shared_bytes) {
  DeviceKernel *kernel = kernel_of(function);
  NEED_CONTEXT();
  NEED_VALUE(blocks);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  return active_blocks(blocks, kernel, threads, shared_bytes);
}

enum { KNOWN_FLAGS = 1 };  // CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE

EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, CUfunction function, int threads, size_t shared_bytes, unsigned flags) {
  NEED_VALUE(flags <= KNOWN_FLAGS);
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes);
}

typedef struct BlockSize {
  int threads, blocks;
} BlockSize;

// The largest of the sizes that keep most threads on an SM.
static CUresult best_block(DeviceKernel *kernel, CUoccupancyB2DSize shared_of, size_t shared_bytes,
                           int limit, BlockSize *best) {
  *best = (BlockSize){0, 0};
  for (int threads = limit; threads > 0; threads = (threads - 1) / WARP_LANES * WARP_LANES) {
    int blocks;
    size_t shared = shared_of ? shared_of(threads) : shared_bytes;
    NEED(active_blocks(&blocks, kernel, threads, shared));
    if (threads * blocks > best->threads * best->blocks) *best = (BlockSize){threads, blocks};
  }
  return CUDA_SUCCESS;
}

EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                                 CUoccupancyB2DSize shared_of, size_t shared_bytes,
                                                 int limit) {
  BlockSize best;
  int most = 0;
  NEED_CONTEXT();
  NEED_VALUE(grid && block && limit >= 0);
  NEED(cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
  if (!limit || limit > most) limit = most;
  NEED(best_block(kernel_of(function), shared_of, shared_bytes, limit, &best));
  *block = best.threads;
  *grid = best.blocks * (int)device_config(api_device())->gpu.sm_count;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                                          CUfunction function,
                                                          CUoccupancyB2DSize shared_of,
                                                          size_t shared_bytes, int limit,
                                                          unsigned flags) {
  NEED_VALUE(flags <= KNOWN_FLAGS);
  return cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_of, shared_bytes, limit);
}

// All shared memory, divided among the CTAs, less what each has anyway.
EXPORT CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function,
                                                        int blocks, int threads) {
  int own = 0;
  NEED_CONTEXT();
  NEED_VALUE(bytes && blocks > 0 && threads > 0);
  NEED(cuFuncGetAttribute(&own, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
  size_t share = device_config(api_device())->sm.shared_kb * 1024u / (unsigned)blocks;
  *bytes = share > (size_t)own ? share - (size_t)own : 0;
  return CUDA_SUCCESS;
}
