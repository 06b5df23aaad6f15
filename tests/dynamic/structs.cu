// SPDX-License-Identifier: MIT
// Structures as parameters of child kernels: with const members, of odd sizes and alignments.
// nvcc: -rdc=true
#include "../cuda/check.h"

struct Step {
  int depth;
  const int most;
  __host__ __device__ Step(int first, int last) : depth(first), most(last) {}
  __host__ __device__ Step next() const { return Step(depth + 1, most); }
};

struct __align__(16) Wide {
  double a;
  char b;
};

struct Odd {
  char text[5];
};

__global__ void descend(Step step, char mark, Wide wide, Odd odd, int *sum) {
  *sum += step.depth * 1000 + (int)wide.a + wide.b + odd.text[4] + mark;
  odd.text[4]++;
  wide.a += 0.5;
  if (step.depth < step.most) descend<<<1, 1>>>(step.next(), mark + 1, wide, odd, sum);
}

int main() {
  int *sum, wanted = 0;
  CHECK(cudaMallocManaged(&sum, sizeof *sum));
  *sum = 0;
  descend<<<1, 1>>>(Step(1, 5), 3, Wide{10, 20}, Odd{{0, 0, 0, 0, 7}}, sum);
  CHECK(cudaDeviceSynchronize());
  for (int i = 1; i <= 5; i++) wanted += i * 1000 + (int)(10 + (i - 1) * 0.5) + 20 + 6 + i + 2 + i;
  EXPECT(*sum == wanted);
  return finish("structs");
}
