// SPDX-License-Identifier: MIT
// What heddle cc writes anew is written anew in headers, too, and a fault in
// one is told where it stands.
#include "headers/launches.h"

#include <string.h>

#include "check.h"

int main() {
  int *values, got[32];
  double *numbers, got_numbers[32];
  CUDA(cudaMalloc(&values, sizeof got));
  CUDA(cudaMalloc(&numbers, sizeof got_numbers));
  CUDA(cudaMemset(numbers, 0, sizeof got_numbers));

  plain::run_fill(values, host_seven());
  run_add(values, 3);
  launch_add<<<1, 32>>>(values, 1);
  CUDA(cudaMemcpy(got, values, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) CHECK(got[i] == 35, "%d: %d", i, got[i]);

  launch_plain<<<1, 32>>>(values);
  launch_add<double><<<1, 32>>>(numbers, 0.5);
  CUDA(cudaMemcpy(got, values, sizeof got, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(got_numbers, numbers, sizeof got_numbers, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) {
    CHECK(got[i] == 5, "%d: %d", i, got[i]);
    CHECK(got_numbers[i] == 0.5, "%d: %g", i, got_numbers[i]);
  }
  launch_marks<<<1, 32>>>(values);
  CUDA(cudaMemcpy(got, values, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) CHECK(got[i] == (i == 3 ? 116 : 16), "%d: %d", i, got[i]);
  CHECK(strstr(__FILE__, "headers.cu") != NULL, "%s", __FILE__);
  return check_end();
}
