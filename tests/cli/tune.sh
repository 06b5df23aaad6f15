# SPDX-License-Identifier: MIT
# heddle tune: a program that gains, one that cannot, one that cannot be rewritten; its mistakes.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
[ -e "$(dirname "$HEDDLE")/libheddle_cluster.so" ] || skip "this Heddle was built without libclang"
cd "$scratch"
set=(--gpu gtx570 --set gpu.sm_count=2 --quiet)

# CTAs of a column read the same stretch, those of a row different ones: 128 KB, far more than the L1.
cat >gains.cu <<'END'
#include <cstdio>
__global__ void weigh(const float *table, float *sums) {
  float sum = 0;
  for (int i = threadIdx.x; i < 2048; i += 64) sum += table[blockIdx.x * 2048 + i];
  sums[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x] = sum;
}
int main() {
  static float host[16 * 2048];
  float *table, *sums;
  for (int i = 0; i < 16 * 2048; i++) host[i] = i % 13;
  cudaMalloc(&table, sizeof host), cudaMalloc(&sums, sizeof host);
  cudaMemcpy(table, host, sizeof host, cudaMemcpyHostToDevice);
  weigh<<<dim3(16, 16), 64>>>(table, sums);
  cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 16 * 16 * 64; i += 999) printf("%g\n", host[i]);
}
END
expect_exit 0 "$HEDDLE" tune gains.cu "${set[@]}" -o tuned.cu --json report.json
jq -e '.chosen | startswith("as handed over")' report.json >/dev/null || fail "nothing was chosen: $(cat report.json)"
jq -e '.variants[-1] | .speedup > 1.01 and .results == "same"' report.json >/dev/null || fail "$(jq -c .variants report.json)"
jq -e '.original_cycles as $o | .variants[-1].cycles < $o' report.json >/dev/null || fail "slower"
grep -q 'heddle::cluster::launch(weigh, dim3(16, 16), 64)(table, sums);' tuned.cu || fail "$(cat tuned.cu)"
jq -e '.original_cycles > 0' report.json >/dev/null || fail "no cycles"
grep -q ColumnMajor tuned.cu || fail "not by columns: $(cat tuned.cu)"
"$HEDDLE" cc -arch=sm_35 tuned.cu -o tuned
[ "$("$HEDDLE" run --functional --quiet -- ./tuned)" = "$("$HEDDLE" run --functional --quiet -- gains.tune/original)" ] ||
  fail "other results"

# Arithmetic alone: nothing that a cache could help.
cat >computes.cu <<'END'
#include <cstdio>
__global__ void spin(float *out) {
  float x = threadIdx.x;
  for (int i = 0; i < 200; i++) x = x * 0.5f + 1;
  out[blockIdx.x * 64 + threadIdx.x] = x;
}
int main() {
  float *out;
  cudaMalloc(&out, 64 * 64 * 4);
  spin<<<64, 64>>>(out);
  printf("%d\n", cudaDeviceSynchronize());
}
END
expect_exit 0 "$HEDDLE" tune computes.cu --gpu gtx570 --set gpu.sm_count=2 -o same.cu
expect_text "$out" "nothing to gain: an L1 that always hits would bring"
cmp computes.cu same.cu
first=$out
expect_exit 0 "$HEDDLE" tune computes.cu --gpu gtx570 --set gpu.sm_count=2 -o same.cu
[ "$out" = "$first" ] || fail "another answer: $out"
expect_text "$err" "5 of 5 runs already in the store"

# A kernel that cannot be rewritten: the reason is passed on.
sed 's/float sum = 0;/float sum = 0; int ignored; asm("mov.u32 %0, %%ctaid.x;" : "=r"(ignored));/' gains.cu >refused.cu
expect_exit 0 "$HEDDLE" tune refused.cu --gpu gtx570 --set gpu.sm_count=2 -o same.cu
expect_text "$out" "inline PTX reads %ctaid"
expect_text "$out" "nothing to gain: none of the kernels can be rewritten"
cmp refused.cu same.cu

# ---- mistakes

expect_exit 2 "$HEDDLE" tune gains.cu
expect_text "$err" "-o FILE"
expect_exit 2 "$HEDDLE" tune gains.cu -o ./gains.cu
expect_text "$err" "would overwrite the source"
expect_exit 2 "$HEDDLE" tune hotspot -o x.cu
expect_text "$err" "expected a CUDA source"
expect_exit 2 "$HEDDLE" tune gains.cu -o no/folder/x.cu
echo 'int main() { return 0; }' >empty.cu
expect_exit 1 "$HEDDLE" tune empty.cu -o x.cu
[ ! -e x.cu ] || fail "a file was written"
