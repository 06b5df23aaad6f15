# SPDX-License-Identifier: MIT
# heddle cluster: redirection, the mapping of its header, and programs of several sources.
. "$HEDDLE_SOURCE/tests/cli/common"

[ -e "$(dirname "$HEDDLE")/libheddle_cluster.so" ] || skip "this Heddle was built without libclang"
find_runner
programs=$HEDDLE_SOURCE/tests/cluster
cd "$scratch"

# Figures 7 and 8 of the paper; bijections for all sizes.
"$HEDDLE" cc -O1 -std=c++11 -Wall -Wextra -Xcompiler -Werror "$programs/mapping/mapping.cu" -o mapping
expect_exit 0 "${runner[@]}" ./mapping
expect_text "$out" PASSED

# Sources that are compiled apart and launch each other's kernels.
mkdir several
expect_exit 0 "$HEDDLE" cluster "$programs"/several/{first,second}.cu -o several
expect_exit 0 "$HEDDLE" cc -O1 -I "$programs/several" several/{first,second}.cu -o program
for gpu in gtx570 gtx980; do
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu $gpu -- ./program
  expect_text "$out" PASSED
done

# A device function of another source that names blockIdx. Headers keep their guards in front.
cat >place.h <<'END'
#pragma once
__device__ int row();
template <class T>
__global__ void mark(T *a) {
  if (threadIdx.x == 0) a[row() * gridDim.x + blockIdx.x] += 1;
}
END
printf '#include "place.h"\n__device__ int row() { return blockIdx.y; }\n' >place.cu
cat >mark.cu <<'END'
#include "place.h"
#include <cstdio>
int main() {
  int *a, sums[200];
  cudaMalloc(&a, sizeof sums);
  cudaMemset(a, 0, sizeof sums);
  mark<<<dim3(20, 10), 32>>>(a);
  cudaMemcpy(sums, a, sizeof sums, cudaMemcpyDeviceToHost);
  for (int sum : sums)
    if (sum != 1) return 1;
  return puts("PASSED") < 0;
}
END
mkdir apart
expect_exit 0 "$HEDDLE" cluster mark.cu place.cu -o apart
expect_text "$(head -n 2 apart/place.clustered.h)" '#pragma once
#include <heddle/cluster.cuh>'
expect_text "$(cat apart/place.cu)" "__device__ int row(uint3 blockIdx) { return blockIdx.y; }"
expect_exit 0 "$HEDDLE" cc -O1 -rdc=true apart/mark.cu apart/place.cu -o apart/mark
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu gtx570 --quiet -- apart/mark
expect_text "$out" PASSED
# The program's own variables reach it.
expect_exit 0 env HEDDLE_CLUSTER_VERBOSE=1 HEDDLE_CLUSTER_ACTIVE=1 "${runner[@]}" "$HEDDLE" run --gpu gtx570 --quiet -- apart/mark
expect_text "$err" "200 CTAs on 15 SMs, 8 agents per SM, 1 of them active"
expect_exit 2 "$HEDDLE" cluster mark.cu -o alone.cu
expect_text "$err" "place.h:5: kernel mark cannot be rewritten: 'row' is not defined in the given sources"

for name in irregular grids; do
  expect_exit 0 "$HEDDLE" cluster "$programs/$name.cu" --method redirection -o $name.cu -- -I "$programs"
  expect_exit 0 "$HEDDLE" cc -O1 -Wall -Wextra -Wno-sign-compare -Xcompiler -Werror -I "$programs" $name.cu -o $name
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu gtx980 -- ./$name
  expect_text "$out" PASSED
done
