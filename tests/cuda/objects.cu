// SPDX-License-Identifier: MIT
// Objects that kernels make with new, use through virtual functions in another
// kernel, and delete in a third; and one that is made in place, in shared memory.
#include <new>

#include "check.h"

enum { COUNT = 96 };

struct Counter {
  int start;
  __device__ Counter(int from) : start(from) {}
  __device__ virtual ~Counter() {}
  __device__ virtual int after(int steps) const { return start + steps; }
};

struct Table : Counter {
  int *values, size;
  int *ended;
  __device__ Table(int from, int entries, int *told)
      : Counter(from), values(new int[entries]), size(entries), ended(told) {
    for (int i = 0; i < entries; i++) values[i] = from * i;
  }
  __device__ ~Table() override {
    delete[] values;
    atomicAdd(ended, 1);
  }
  __device__ int after(int steps) const override { return values[steps % size]; }
};

__global__ void make(Counter **counters, int *ended) {
  int i = threadIdx.x;
  counters[i] = i % 3 ? new Counter(i) : new Table(i, 4 + i % 5, ended);
}

__global__ void ask(Counter **counters, int *answers, int steps) {
  answers[threadIdx.x] = counters[threadIdx.x]->after(steps);
}

__global__ void end(Counter **counters) {
  delete counters[threadIdx.x];
}

__global__ void in_place(int *answers) {
  __shared__ __align__(16) unsigned char room[sizeof(Counter)];
  __shared__ const Counter *counter;
  if (threadIdx.x == 0) counter = new (room) Counter(1000);
  __syncthreads();
  answers[threadIdx.x] = counter->after(threadIdx.x);
}

int main() {
  Counter **counters;
  int *answers, *ended;
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
  CHECK(cudaMalloc((void **)&counters, sizeof *counters * COUNT));
  CHECK(cudaMallocManaged((void **)&answers, sizeof *answers * COUNT));
  CHECK(cudaMallocManaged((void **)&ended, sizeof *ended));
  *ended = 0;
  make<<<1, COUNT>>>(counters, ended);
  ask<<<1, COUNT>>>(counters, answers, 10);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < COUNT; i++) EXPECT(answers[i] == (i % 3 ? i + 10 : i * (10 % (4 + i % 5))));
  EXPECT(*ended == 0);
  end<<<1, COUNT>>>(counters);
  in_place<<<1, COUNT>>>(answers);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*ended == COUNT / 3);
  for (int i = 0; i < COUNT; i++) EXPECT(answers[i] == 1000 + i);
  return finish("objects");
}
