// SPDX-License-Identifier: MIT
// Functions by pointer: from tables of variables and constants, from the host,
// virtual ones, and a lambda.
// nvcc: --extended-lambda
#include "check.h"
typedef unsigned char (*Blend)(unsigned char, unsigned char, float);
typedef float (*Curve)(unsigned char, float);
__device__ unsigned char mean(unsigned char a, unsigned char b, float s) {
  return (unsigned char)(s * (a + b) / 2);
}
__device__ unsigned char difference(unsigned char a, unsigned char b, float s) {
  return (unsigned char)(s * abs(a - b));
}
__device__ float step(unsigned char v, float t) {
  return v > t ? 255.f : 0.f;
}
__device__ float same(unsigned char v, float) {
  return v;
}
__device__ Blend blends[2] = {mean, difference};
__device__ Curve step_pointer = step;
__device__ Curve same_pointer = same;
__constant__ Curve curves[2] = {step, same};
__global__ void run(unsigned char *a, unsigned char *b, float *out, int f, Curve pf) {
  int i = threadIdx.x;
  unsigned char v = blends[(f + (i & 1)) & 1](a[i], b[i], 0.9f);
  out[i] = pf(v, 40) + curves[i & 1](v, 20);
}
struct Shape {
  __device__ virtual float area() const = 0;
};
struct Sq : Shape {
  float s;
  __device__ Sq(float x) : s(x) {}
  __device__ float area() const override { return s * s; }
};
struct Ci : Shape {
  float r;
  __device__ Ci(float x) : r(x) {}
  __device__ float area() const override { return 3 * r * r; }
};
__global__ void virt(float *o) {
  Sq a(threadIdx.x);
  Ci b(threadIdx.x);
  const Shape *s = (threadIdx.x % 3) ? (Shape *)&a : (Shape *)&b;
  o[threadIdx.x] = s->area();
}
template <class F>
__global__ void apply(float *o, F f) {
  o[threadIdx.x] = f(threadIdx.x);
}
int main() {
  unsigned char *a;
  CHECK(cudaMallocManaged(&a, 512));
  unsigned char *b = a + 128;
  for (int i = 0; i < 128; i++) a[i] = i * 2, b[i] = 255 - i;
  float *o;
  CHECK(cudaMallocManaged(&o, 1024));
  Curve h[2];
  CHECK(cudaMemcpyFromSymbol(&h[0], step_pointer, sizeof h[0]));
  CHECK(cudaMemcpyFromSymbol(&h[1], same_pointer, sizeof h[0]));
  for (int k = 0; k < 4; k++) {
    run<<<1, 128>>>(a, b, o, k & 1, h[k >> 1]);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 128; i++) {
      int f = (k + (i & 1)) & 1;
      unsigned char v =
          f ? (unsigned char)(0.9f * abs(a[i] - b[i])) : (unsigned char)(0.9f * (a[i] + b[i]) / 2);
      float e = (k >> 1 ? v : v > 40 ? 255.f : 0.f) + (i & 1 ? v : v > 20 ? 255.f : 0.f);
      EXPECT(o[i] == e);
    }
  }
  virt<<<1, 32>>>(o);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; i++) EXPECT(o[i] == (i % 3 ? 1 : 3) * i * i);
  float k = 2.5f;
  apply<<<1, 32>>>(o, [=] __device__(int i) { return k * i; });
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; i++) EXPECT(o[i] == k * i);
  return finish("function_pointers");
}
