// SPDX-License-Identifier: MIT
// Kernels launched from methods of class templates, prototypes, launch bounds, tabs,
// cudaLaunchKernel with and without a cast.
#include "check.h"
template <typename T>
struct Traits {
  typedef T type;
  enum { width = 4 };
};
template <typename T>
class Matrix {
 public:
  Matrix(int w, int h) : w_(w), h_(h), data_(w * h) {}
  void fill(T value);
  Array<T> &data() { return data_; }

 private:
  int w_, h_;
  Array<T> data_;
};
template <typename T>
__global__ void fill_kernel(T *data, T value, int w, int h, typename Traits<T>::type extra) {
  int x = blockIdx.x * Traits<T>::width + threadIdx.x;
  for (int y = blockIdx.y; y < h; y += gridDim.y)
    if (x < w) data[y * w + x] = value + extra;
}
template <typename T>
void Matrix<T>::fill(T value) {
  dim3 grid((w_ + 3) / 4, 2);
  fill_kernel<<<grid, 4>>>((T *)data_, value, w_, h_, T(1));
}
template <typename T, void (*Function)(T *, int)>
void call(T *data, int n) {
  Function(data, n);
}
__global__ void __launch_bounds__(128, 2) twice(int *data, int n);
static void run_twice(int *data, int n) {
  twice<<<(n + 127) / 128, 128, 0, cudaStreamPerThread>>>(data, n);
}
__global__ void __launch_bounds__(128, 2) twice(int *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  data[i] *= 2;
}
extern "C" __global__ void increment_c(float *x) {
  x[blockIdx.x] += 1.f;
}
int main(void) {
  Matrix<double> m(11, 9);
  m.fill(2.0);
  for (double x : m.data().get()) CHECK(x == 3.0);
  Matrix<int> k(11, 9);
  k.fill(5);
  for (int x : k.data().get()) CHECK(x == 6);
  Array<int> a(numbers(1000));
  call<int, run_twice>(a, 1000);
  CUDA(cudaDeviceSynchronize());
  std::vector<int> v = a.get();
  for (int i = 0; i < 1000; i++) CHECK(v[i] == 2 * i);
  Array<float> f(70);
  float *raw = f;
  void *args[] = {&raw};
  CUDA(cudaLaunchKernel((const void *)increment_c, dim3(70), dim3(1), args, 0, 0));
  CUDA(cudaLaunchKernel(increment_c, dim3(70), dim3(1), args, 0, 0));
  for (float x : f.get()) CHECK(x == 2.0f);
  return verdict();
}
