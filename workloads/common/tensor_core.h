// SPDX-License-Identifier: MIT
// Tensor cores and asynchronous copies as PTX: one function each.
#ifndef WORKLOADS_TENSOR_CORE_H
#define WORKLOADS_TENSOR_CORE_H

#include <cuda_fp16.h>

#include <cstdint>

__device__ inline uint32_t shared_address(const void *pointer) {
  return (uint32_t)__cvta_generic_to_shared(pointer);
}

// ---- 16 bytes by way of registers

__device__ inline uint4 load_16(const void *from) {
  uint4 v;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(from));
  return v;
}
__device__ inline void store_16(uint32_t to, uint4 v) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(v.x), "r"(v.y), "r"(v.z),
               "r"(v.w)
               : "memory");
}

// ---- copies of 16 bytes from global to shared memory, in groups

__device__ inline void copy_async(uint32_t to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
__device__ inline void copy_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int LEFT>
__device__ inline void copy_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

// ---- matrices of 8 x 8 halves from shared memory, and m16n8k16

__device__ inline void load_matrices(uint32_t r[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}
__device__ inline void load_matrices_transposed(uint32_t r[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}
__device__ inline void multiply_add(float d[4], const uint32_t a[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// ---- barriers of shared memory, and copies of tiles that tell them of their bytes (Hopper)

__device__ inline void barrier_init(uint32_t barrier, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ inline void barrier_expect(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
__device__ inline void barrier_arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ inline void barrier_wait(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{.reg .pred p;\nagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;}" ::
          "r"(barrier),
      "r"(parity)
      : "memory");
}
__device__ inline void copy_tile(uint32_t to, const void *map, int x, int y, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
}

#endif
