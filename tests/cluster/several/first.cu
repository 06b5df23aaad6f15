// SPDX-License-Identifier: MIT
// Launches of kernels of two sources alternate in one stream. One of them is
// defined in the other source.
#include "several.h"

__global__ void count_first(int *visits) { atomicAdd(&visits[blockIdx.x], 1); }

int main() {
  const int ctas = 200, rounds = 5;
  Array<int> visits(ctas);
  for (int round = 0; round < rounds; round++) {
    count_first<<<ctas, 32>>>(visits);
    run_second(visits, ctas);
    count_second<<<ctas, 1>>>(visits);
    add<int><<<ctas, 1>>>(visits, 1000);
  }
  for (int times : visits.get()) CHECK(times == rounds * (32 + 10 + 100 + 100 + 1000));
  return verdict();
}
