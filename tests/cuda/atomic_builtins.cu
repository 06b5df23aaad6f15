// SPDX-License-Identifier: MIT
// The compiler's own atomic functions (__nv_atomic_…), many threads on few words.
// nvcc: -arch=sm_80
#include "check.h"

static const int threads = 256, ctas = 8, total = threads * ctas;

struct Results {
  int sum, least, most;
  unsigned bits, all, odd;
  unsigned long long wide;
  unsigned long count;
  float fsum;
  double dsum;
  unsigned turns, seen;
  int held, last;
  int data, flag, got;
};

__global__ void work(Results *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __nv_atomic_add(&to->sum, i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_min(&to->least, -i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_max(&to->most, i, __NV_ATOMIC_RELAXED);
  __nv_atomic_or(&to->bits, 1u << i % 32, __NV_ATOMIC_RELAXED);
  __nv_atomic_and(&to->all, ~(1u << i % 16), __NV_ATOMIC_RELAXED);
  __nv_atomic_xor(&to->odd, 1u << (i == 5), __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_sub(&to->wide, 1ull << 33, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_add(&to->count, 1ul, __NV_ATOMIC_SEQ_CST);
  __nv_atomic_add(&to->fsum, 0.5f, __NV_ATOMIC_RELAXED);
  __nv_atomic_add(&to->dsum, 0.25, __NV_ATOMIC_RELAXED);
  unsigned expected = __nv_atomic_load_n(&to->turns, __NV_ATOMIC_RELAXED);
  while (!__nv_atomic_compare_exchange_n(&to->turns, &expected, expected + 3, false,
                                         __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED)) {
  }
  if (i == 0) __nv_atomic_store_n(&to->seen, 77u, __NV_ATOMIC_RELEASE);
  if (i == 1) to->last = __nv_atomic_exchange_n(&to->held, 9, __NV_ATOMIC_ACQ_REL);
}

// One CTA waits for another's data.
__global__ void pass(Results *to) {
  if (blockIdx.x == 1) {
    to->data = 41;
    __nv_atomic_store_n(&to->flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  } else {
    while (!__nv_atomic_load_n(&to->flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE)) {
    }
    to->got = to->data + 1;
  }
}

int main() {
  Results *device, found, start = {};
  start.all = ~0u;
  start.held = 4;
  CHECK(cudaMalloc(&device, sizeof *device));
  CHECK(cudaMemcpy(device, &start, sizeof start, cudaMemcpyDefault));
  work<<<ctas, threads>>>(device);
  pass<<<2, 1>>>(device);
  CHECK(cudaMemcpy(&found, device, sizeof found, cudaMemcpyDefault));
  EXPECT(found.sum == total * (total - 1) / 2);
  EXPECT(found.least == 1 - total && found.most == total - 1);
  EXPECT(found.bits == ~0u && found.all == 0xffff0000 && found.odd == 3);
  EXPECT(found.wide == 0 - ((unsigned long long)total << 33) && found.count == total);
  EXPECT(found.fsum == total / 2 && found.dsum == total / 4);
  EXPECT(found.turns == 3 * total && found.seen == 77);
  EXPECT(found.held == 9 && found.last == 4);
  EXPECT(found.got == 42);
  return finish("atomic_builtins");
}
