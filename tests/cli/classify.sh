# SPDX-License-Identifier: MIT
# heddle classify: evidence and verdicts of small programs, as text and JSON; its mistakes.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
cd "$scratch"
set=(--gpu gtx570 --set gpu.sm_count=2)

# Rows of a table that all CTAs of a row read; a stream; a gather.
cat >kinds.cu <<'END'
#include <cstdio>
__global__ void share(const float *table, float *sums) {
  float sum = 0;
  for (int i = threadIdx.x; i < 1024; i += 64) sum += table[blockIdx.y * 1024 + i];
  sums[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x] = sum;
}
__global__ void stream(const float *from, float *to) {
  int i = blockIdx.x * 64 + threadIdx.x;
  to[i] = 2 * from[i];
}
__global__ void gather(const int *index, const float *from, float *to) {
  int i = blockIdx.x * 64 + threadIdx.x;
  to[i] = from[index[i]];
}
int main() {
  const int n = 64 * 64;
  float *a, *b;
  int *index;
  cudaMalloc(&a, 16 * 1024 * 4), cudaMalloc(&b, n * 4), cudaMalloc(&index, n * 4);
  cudaMemset(a, 0, 16 * 1024 * 4), cudaMemset(index, 0, n * 4);
  share<<<dim3(4, 16), 64>>>(a, b);
  stream<<<64, 64>>>(a, b);
  gather<<<64, 64>>>(index, a, b);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
END
expect_exit 0 "$HEDDLE" classify kinds.cu "${set[@]}"
expect_text "$out" "share: algorithm: other CTAs load 100 % of its data, and the order of CTAs matters"
expect_text "$out" "stream: streaming: other CTAs load 0 % of its data"
expect_text "$out" "gather: data: 50 % of its loads take their address from memory"
expect_text "$out" "clustered by rows"
expect_text "$err" "without the L1"
[ -e kinds.tune/runs.db ] || fail "no store"

# Again: nothing is run, and the answer is the same.
first=$out
expect_exit 0 "$HEDDLE" classify kinds.cu "${set[@]}"
[ "$out" = "$first" ] || fail "another answer: $out"
expect_text "$err" "5 of 5 runs already in the store"
expect_exit 0 "$HEDDLE" classify kinds.cu "${set[@]}" --quiet --json -
[ "$(jq -r '.kernels[0].category + " " + .kernels[0].order' <<<"$out")" = "algorithm row" ] || fail "JSON: $out"
[ "$(jq '.kernels[0].experiments | .row.l2_reads < 0.7 * .base.l2_reads' <<<"$out")" = true ] ||
  fail "rows save no reads: $out"

# ---- mistakes

expect_exit 2 "$HEDDLE" classify nothing.cu
expect_text "$err" "cannot open nothing.cu"
expect_exit 2 "$HEDDLE" classify hotspo
expect_text "$err" "did you mean 'hotspot'?"
expect_exit 2 "$HEDDLE" classify kinds.cu --set gpu.sm_cont=2
expect_text "$err" "sm_cont"
echo 'int main() { return x; }' >broken.cu
expect_exit 2 "$HEDDLE" classify broken.cu
expect_text "$err" "broken.cu"
echo 'int main() { return 3; }' >fails.cu
expect_exit 1 "$HEDDLE" classify fails.cu
expect_text "$err" "fails.tune/original exited with code 3"
echo 'int main() { return 0; }' >empty.cu
expect_exit 1 "$HEDDLE" classify empty.cu
echo '__global__ void k() {} int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); for (volatile int i = 0;; i++) i = 0; }' >hangs.cu
expect_exit 1 "$HEDDLE" classify hangs.cu --limit 2
expect_text "$err" "not finished after 2 s"
