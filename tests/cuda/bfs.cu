// SPDX-License-Identifier: MIT
// Breadth-first search over a graph that is read from a file or made up, a
// level at a time, until a flag says that nothing changed.
#include "check.h"

struct Vertex {
  int first, edges;
};

__global__ void visit(const Vertex *vertices, const int *edges, const bool *frontier, bool *next,
                      bool *visited, int *cost, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || !frontier[v]) return;
  for (int e = 0; e < vertices[v].edges; e++) {
    int to = edges[vertices[v].first + e];
    if (visited[to]) continue;
    cost[to] = cost[v] + 1;
    next[to] = true;
  }
}

__global__ void advance(bool *frontier, bool *next, bool *visited, bool *again, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  frontier[v] = next[v];
  if (next[v]) {
    visited[v] = true;
    *again = true;
  }
  next[v] = false;
}

template <typename T>
static T *to_device(const T *host, int n) {
  T *device;
  CHECK(cudaMalloc((void **)&device, n * sizeof(T)));
  CHECK(cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

int main(int argc, char **argv) {
  int n = 2000, degree = 4;
  FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (file && fscanf(file, "%d %d", &n, &degree) != 2) return EXIT_FAILURE;
  if (file) fclose(file);
  Vertex *vertices = new Vertex[n];
  int *edges = new int[n * degree], *cost = new int[n], *wanted = new int[n], *queue = new int[n];
  bool *flags = new bool[n]();
  unsigned random = 12345;
  for (int v = 0; v < n; v++) {
    vertices[v].first = v * degree;
    vertices[v].edges = degree;
    cost[v] = wanted[v] = -1;
    for (int e = 0; e < degree; e++) {
      random = random * 1664525u + 1013904223u;
      edges[v * degree + e] = e == 0 ? (v + 1) % n : (int)((random >> 8) % n);
    }
  }
  int head = 0, tail = 1;
  queue[0] = wanted[0] = cost[0] = 0;
  while (head < tail) {
    int v = queue[head++];
    for (int e = 0; e < degree; e++) {
      int to = edges[v * degree + e];
      if (wanted[to] >= 0) continue;
      wanted[to] = wanted[v] + 1;
      queue[tail++] = to;
    }
  }

  bool again = true, *next = to_device(flags, n);
  flags[0] = true;
  bool *frontier = to_device(flags, n), *visited = to_device(flags, n);
  Vertex *dvertices = to_device(vertices, n);
  int *dedges = to_device(edges, n * degree), *dcost = to_device(cost, n), levels = 0;
  bool *dagain = to_device(&again, 1);
  int blocks = (n + 255) / 256;
  while (again) {
    again = false;
    CHECK(cudaMemcpy(dagain, &again, sizeof again, cudaMemcpyHostToDevice));
    visit<<<blocks, 256>>>(dvertices, dedges, frontier, next, visited, dcost, n);
    advance<<<blocks, 256>>>(frontier, next, visited, dagain, n);
    CHECK(cudaMemcpy(&again, dagain, sizeof again, cudaMemcpyDeviceToHost));
    levels++;
  }
  CHECK(cudaMemcpy(cost, dcost, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int v = 0; v < n; v++) EXPECT(cost[v] == wanted[v]);
  printf("%d levels\n", levels);
  void *all[] = {next, frontier, visited, dvertices, dedges, dcost, dagain};
  for (void *each : all) CHECK(cudaFree(each));
  delete[] vertices;
  delete[] edges;
  delete[] cost;
  delete[] wanted;
  delete[] queue;
  delete[] flags;
  return finish("bfs");
}
