# SPDX-License-Identifier: MIT
# Debian's Thrust and CUB compile with `heddle cc` as they are, and compute correctly.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
include=${HEDDLE_THRUST:-/usr/include}
[ -e "$include/thrust/version.h" ] && [ -e "$include/cub/version.cuh" ] || skip "no Thrust or CUB here"
find_runner
cd "$scratch"

cat >algorithms.cu <<'END'
#include <cub/block/block_scan.cuh>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <cstdio>

__global__ void scan(const int *in, int *out) {
  typedef cub::BlockScan<int, 128> Scan;
  __shared__ typename Scan::TempStorage storage;
  int sum;
  Scan(storage).ExclusiveSum(in[threadIdx.x], sum);
  out[threadIdx.x] = sum;
}

int main() {
  const int count = 1000;
  thrust::host_vector<int> keys(count);
  for (int i = 0; i < count; i++) keys[i] = (i * 7919 + 13) % count - 500;
  thrust::device_vector<int> sorted = keys, sums(128);
  int total = thrust::reduce(sorted.begin(), sorted.end()), wrong = total != -500;
  scan<<<1, 128>>>(thrust::raw_pointer_cast(sorted.data()), thrust::raw_pointer_cast(sums.data()));
  thrust::sort(sorted.begin(), sorted.end());
  thrust::host_vector<int> back = sorted, prefixes = sums;
  for (int i = 0; i < count; i++) wrong += back[i] != i - 500;
  for (int i = 0, sum = 0; i < 128; sum += keys[i++]) wrong += prefixes[i] != sum;
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
END
expect_exit 0 "$HEDDLE" cc -I "$include" algorithms.cu -o algorithms
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- ./algorithms
expect_text "$out" "0 wrong"

# A mistake of a program that includes what is there is not blamed on the library.
if [ "$include" = /usr/include ]; then
  printf '#include <thrust/version.h>\nint mistake = nothing;\n' >mistake.cu
  expect_exit 2 "$HEDDLE" cc -c mistake.cu
  expect_text "$err" "undeclared identifier 'nothing'"
  case $err in *"does not provide"*) fail "$err" ;; esac
fi
