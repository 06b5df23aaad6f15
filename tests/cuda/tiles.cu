// SPDX-License-Identifier: MIT
// Bulk copies of tiles: tensor maps, swizzling, what lies outside, stores, and a multicast to the CTAs of a
// cluster.
// nvcc: -arch=sm_90
#include <cuda.h>

#include <cstdint>
#include <vector>

#include "check.h"

enum { WIDTH = 72, HEIGHT = 50, BOX_X = 32, BOX_Y = 16, TILE = BOX_X * BOX_Y, BYTES = TILE * 4 };

__device__ uint32_t address_of(const void *pointer) { return (uint32_t)__cvta_generic_to_shared(pointer); }

__device__ void begin_barrier(uint32_t barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}
__device__ void expect(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ void wait(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{.reg .pred p;\nagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;}" ::"r"(
          barrier),
      "r"(parity)
      : "memory");
}

// Where a word of a tile of 128-byte rows lies if it is swizzled.
__device__ int swizzled(int row, int column, int swizzle) {
  int chunk = column / 4, mask = swizzle / 16 - 1;
  return row * BOX_X + ((chunk ^ (swizzle ? row & 7 & mask : 0)) * 4) + column % 4;
}

__global__ void load_tile(const CUtensorMap *map, int x, int y, int swizzle, float *out) {
  __shared__ __align__(1024) float tile[TILE];
  __shared__ uint64_t full;
  uint32_t barrier = address_of(&full);
  if (threadIdx.x == 0) begin_barrier(barrier);
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(barrier, BYTES);
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
            "r"(address_of(tile)),
        "l"(map), "r"(x), "r"(y), "r"(barrier)
        : "memory");
  }
  wait(barrier, 0);
  for (int i = threadIdx.x; i < TILE; i += blockDim.x)
    out[i] = tile[swizzled(i / BOX_X, i % BOX_X, swizzle)];
}

__global__ void store_tile(const CUtensorMap *map, int x, int y) {
  __shared__ __align__(1024) float tile[TILE];
  for (int i = threadIdx.x; i < TILE; i += blockDim.x) tile[i] = 1000 + i;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x) return;
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
               "r"(x), "r"(y), "r"(address_of(tile))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

// CTA 0 of each cluster of two fetches a tile for both.
__global__ void share_tile(const CUtensorMap *map, float *out) {
  __shared__ __align__(1024) float tile[TILE];
  __shared__ uint64_t full;
  uint32_t barrier = address_of(&full), rank, cluster;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(cluster));
  if (threadIdx.x == 0) {
    begin_barrier(barrier);
    expect(barrier, BYTES);
  }
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
  if (rank == 0 && threadIdx.x == 0)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(address_of(tile)),
        "l"(map), "r"((int)cluster * 8), "r"(4), "r"(barrier), "h"((unsigned short)3)
        : "memory");
  wait(barrier, 0);
  for (int i = threadIdx.x; i < TILE; i += blockDim.x) out[blockIdx.x * TILE + i] = tile[i] + rank;
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

typedef CUresult (*Encode)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                           const cuuint64_t *, const cuuint32_t *, const cuuint32_t *,
                           CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                           CUtensorMapFloatOOBfill);
static Encode encode;

static CUtensorMap *make_map(float *tensor, CUtensorMapSwizzle swizzle, unsigned box_x) {
  cuuint64_t size[] = {WIDTH - 2, HEIGHT}, strides[] = {WIDTH * sizeof(float)};
  cuuint32_t box[] = {box_x, BOX_Y}, steps[] = {1, 1};
  CUtensorMap map, *device;
  CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, tensor, size, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) return NULL;
  CHECK(cudaMalloc(&device, sizeof map));
  CHECK(cudaMemcpy(device, &map, sizeof map, cudaMemcpyHostToDevice));
  return device;
}

static float wanted_at(const std::vector<float> &tensor, int x, int y) {
  bool is_inside = x >= 0 && x < WIDTH - 2 && y >= 0 && y < HEIGHT;
  return is_inside ? tensor[y * WIDTH + x] : 0;
}

static void check_tile(const std::vector<float> &tensor, const float *tile, int x, int y, float added) {
  for (int i = 0; i < TILE; i++)
    EXPECT(tile[i] == wanted_at(tensor, x + i % BOX_X, y + i / BOX_X) + added);
}

int main() {
  void *found = NULL;
  CHECK(cudaFree(0));
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, 0, NULL));
  encode = (Encode)found;
  std::vector<float> tensor(WIDTH * HEIGHT), got(4 * TILE);
  for (size_t i = 0; i < tensor.size(); i++) tensor[i] = (float)i + 0.5f;
  float *device, *out;
  CHECK(cudaMalloc(&device, tensor.size() * 4));
  CHECK(cudaMalloc(&out, got.size() * 4));
  CHECK(cudaMemcpy(device, tensor.data(), tensor.size() * 4, cudaMemcpyHostToDevice));

  CUtensorMap *plain = make_map(device, CU_TENSOR_MAP_SWIZZLE_NONE, BOX_X);
  CUtensorMap *swizzled = make_map(device, CU_TENSOR_MAP_SWIZZLE_128B, BOX_X);
  EXPECT(plain && swizzled);
  EXPECT(!make_map(device, CU_TENSOR_MAP_SWIZZLE_64B, BOX_X));  // rows of 128 bytes
  const int places[][2] = {{0, 0}, {8, 4}, {-5, -3}, {60, 40}, {200, 0}};
  for (auto &at : places) {
    load_tile<<<1, 64>>>(plain, at[0], at[1], 0, out);
    load_tile<<<1, 64>>>(swizzled, at[0], at[1], 128, out + TILE);
    CHECK(cudaMemcpy(got.data(), out, 2 * BYTES, cudaMemcpyDeviceToHost));
    check_tile(tensor, &got[0], at[0], at[1], 0);
    check_tile(tensor, &got[TILE], at[0], at[1], 0);
  }

  void *arguments[] = {&plain, &out};
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = 2;
  attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
  config.gridDim = 4;
  config.blockDim = 64;
  config.attrs = attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelExC(&config, (const void *)share_tile, arguments));
  CHECK(cudaMemcpy(got.data(), out, 4 * BYTES, cudaMemcpyDeviceToHost));
  for (int c = 0; c < 4; c++) check_tile(tensor, &got[c * TILE], c / 2 * 8, 4, (float)(c % 2));

  store_tile<<<1, 64>>>(plain, 50, 45);
  CHECK(cudaMemcpy(tensor.data(), device, tensor.size() * 4, cudaMemcpyDeviceToHost));
  for (int y = 40; y < HEIGHT; y++)
    for (int x = 40; x < WIDTH; x++) {
      bool is_in_box = x >= 50 && x < 82 && x < WIDTH - 2 && y >= 45;
      float wanted = is_in_box ? 1000 + (y - 45) * BOX_X + x - 50 : (float)(y * WIDTH + x) + 0.5f;
      EXPECT(tensor[y * WIDTH + x] == wanted);
    }
  return finish("tiles");
}
