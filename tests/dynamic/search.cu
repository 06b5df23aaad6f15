// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// Breadth-first search in which the thread of a vertex with many edges launches
// a kernel to follow them.
#include <vector>

#include "../cuda/check.h"

enum { THRESHOLD = 8, THREADS = 64 };

__device__ int launched;

__device__ void reach(int to, int level, int *cost, int *changed) {
  if (atomicCAS(&cost[to], -1, level + 1) == -1) *changed = 1;
}

__global__ void follow(const int *edges, int first, int count, int level, int *cost, int *changed) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < count) reach(edges[first + e], level, cost, changed);
}

__global__ void visit(const int *offsets, const int *edges, int n, int level, int *cost,
                      int *changed) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || cost[v] != level) return;
  int first = offsets[v], count = offsets[v + 1] - first;
  if (count > THRESHOLD) {
    follow<<<(count + THREADS - 1) / THREADS, THREADS>>>(edges, first, count, level, cost, changed);
    atomicAdd(&launched, 1);
    return;
  }
  for (int e = 0; e < count; e++) reach(edges[first + e], level, cost, changed);
}

template <typename T>
static T *to_device(const std::vector<T> &host) {
  T *device;
  CHECK(cudaMalloc((void **)&device, host.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 600;
  std::vector<int> offsets(1, 0), edges, cost(n, -1), wanted(n, -1), queue(1, 0);
  unsigned random = 99;
  for (int v = 0; v < n; v++) {
    int degree = v % 17 == 0 ? 40 : 3;
    for (int e = 0; e < degree; e++)
      edges.push_back((int)((random = random * 1664525u + 1013904223u) >> 8) % n);
    offsets.push_back((int)edges.size());
  }
  wanted[0] = cost[0] = 0;
  for (size_t head = 0; head < queue.size(); head++)
    for (int e = offsets[queue[head]]; e < offsets[queue[head] + 1]; e++)
      if (wanted[edges[e]] < 0) {
        wanted[edges[e]] = wanted[queue[head]] + 1;
        queue.push_back(edges[e]);
      }
  int *d_offsets = to_device(offsets), *d_edges = to_device(edges), *d_cost = to_device(cost);
  int *d_changed, changed = 1, children;
  CHECK(cudaMalloc((void **)&d_changed, sizeof(int)));
  for (int level = 0; changed; level++) {
    CHECK(cudaMemset(d_changed, 0, sizeof(int)));
    visit<<<(n + 127) / 128, 128>>>(d_offsets, d_edges, n, level, d_cost, d_changed);
    CHECK(cudaMemcpy(&changed, d_changed, sizeof(int), cudaMemcpyDeviceToHost));
  }
  CHECK(cudaMemcpy(cost.data(), d_cost, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyFromSymbol(&children, launched, sizeof children));
  EXPECT(cost == wanted);
  EXPECT(children > n / 40);
  return finish("search");
}
