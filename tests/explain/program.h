// SPDX-License-Identifier: MIT
// Common part of the programs here: buffers with known content, and a sum of the results, which
// is the same with the fault and without (-DREPAIRED).
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

// Of CTAs or rows: as many times as many on whole GPUs as on the small ones of evaluate.
inline int scaled(int count) {
  int device, sms;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  return sms <= 8 ? count : count * ((sms + 7) / 8);
}

template <typename T>
struct Buffer {
  T *data;
  size_t count;
  explicit Buffer(size_t n, unsigned modulus = 0) : count(n) {
    check(cudaMalloc(&data, n * sizeof(T)));
    T *host = new T[n];
    for (size_t i = 0; i < n; i++) host[i] = modulus ? T(i * 2654435761u % modulus) : T(0);
    check(cudaMemcpy(data, host, n * sizeof(T), cudaMemcpyHostToDevice));
    delete[] host;
  }
  void fill(T (*value)(size_t)) {
    T *host = new T[count];
    for (size_t i = 0; i < count; i++) host[i] = value(i);
    check(cudaMemcpy(data, host, count * sizeof(T), cudaMemcpyHostToDevice));
    delete[] host;
  }
};

template <typename T>
void print_sum(const Buffer<T> &buffer) {
  check(cudaDeviceSynchronize());
  T *host = new T[buffer.count];
  check(cudaMemcpy(host, buffer.data, buffer.count * sizeof(T), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (size_t i = 0; i < buffer.count; i++) sum += double(host[i]);
  printf("%.10g\n", sum);
  delete[] host;
}
