// SPDX-License-Identifier: MIT
// Memory that both sides see: managed, mapped, registered; managed variables.
#include "check.h"

struct Node {
  int value;
  Node *next;
};

__managed__ int total = 5;
__managed__ int squares[16];

__global__ void sum_list(const Node *first) {
  for (const Node *node = first; node; node = node->next) total += node->value;
  for (int i = 0; i < 16; i++) squares[i] = i * i;
}

__global__ void increment(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i]++;
}

static void managed() {
  Node *nodes;
  CHECK(cudaMallocManaged((void **)&nodes, 10 * sizeof(Node)));
  for (int i = 0; i < 10; i++) {
    nodes[i].value = i + 1;
    nodes[i].next = i < 9 ? &nodes[i + 1] : NULL;
  }
  total = 100;
  sum_list<<<1, 1>>>(nodes);
  CHECK(cudaDeviceSynchronize());
  EXPECT(total == 155);
  for (int i = 0; i < 16; i++) EXPECT(squares[i] == i * i);
  increment<<<1, 16>>>(squares, 16);  // the host's address of a managed variable
  CHECK(cudaDeviceSynchronize());
  EXPECT(squares[3] == 10);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, nodes));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  CHECK(cudaFree(nodes));
}

static void mapped() {
  const int n = 500;
  int *host, *device;
  CHECK(cudaHostAlloc((void **)&host, n * sizeof(int), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer((void **)&device, host, 0));
  for (int i = 0; i < n; i++) host[i] = i;
  increment<<<2, 256>>>(device, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(host[i] == i + 1);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, host));
  EXPECT(attributes.type == cudaMemoryTypeHost);
  CHECK(cudaFreeHost(host));
}

static void registered() {
  const int n = 300;
  int *host = (int *)malloc(n * sizeof(int)), *device;
  for (int i = 0; i < n; i++) host[i] = 2 * i;
  CHECK(cudaHostRegister(host, n * sizeof(int), cudaHostRegisterMapped));
  EXPECT(cudaHostRegister(host, n * sizeof(int), 0) == cudaErrorHostMemoryAlreadyRegistered);
  CHECK(cudaHostGetDevicePointer((void **)&device, host, 0));
  increment<<<2, 256>>>(device, n);
  CHECK(cudaStreamSynchronize(0));
  for (int i = 0; i < n; i++) EXPECT(host[i] == 2 * i + 1);
  CHECK(cudaHostUnregister(host));
  EXPECT(cudaHostUnregister(host) == cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();
  free(host);
}

int main() {
  EXPECT(total == 5);
  managed();
  mapped();
  registered();
  return finish("unified");
}
