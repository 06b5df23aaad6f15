# SPDX-License-Identifier: MIT
# heddle tune: a program that gains, one that cannot, one that cannot be rewritten; its mistakes.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
[ -e "$(dirname "$HEDDLE")/libheddle_cluster.so" ] || skip "this Heddle was built without libclang"
cd "$scratch"

# The worked example of docs/tune.md, as printed: CTAs of a column read the same stretch, those of
# a row different ones, 128 KB in all.
sed -n '/^\/\/ gain.cu$/,/^```$/p' "$HEDDLE_SOURCE/docs/tune.md" | sed '$d' >gain.cu
command=$(sed -n 's/^heddle tune gain.cu //p' "$HEDDLE_SOURCE/docs/tune.md")
[ -n "$command" ] || fail "docs/tune.md: no command for gain.cu"
# shellcheck disable=SC2086
expect_exit 0 "$HEDDLE" tune gain.cu $command --json report.json
expect_text "$(cat "$HEDDLE_SOURCE/docs/tune.md")" "$(tail -n 1 <<<"$out")"
jq -e '.chosen == "final" and .choices[0].kernel == "weigh" and .choices[0].variant != "original" and .choices[0].cycles < .choices[0].cycles_before' report.json >/dev/null || fail "nothing was chosen: $(cat report.json)"
jq -e '.variants[-1] | .speedup > 1.01 and .results == "same"' report.json >/dev/null || fail "$(jq -c .variants report.json)"
jq -e '.original_cycles as $o | .variants[-1].cycles < $o' report.json >/dev/null || fail "slower"
# Where the gain comes from: fewer waits for memory.
expect_text "$(cat "$HEDDLE_SOURCE/docs/tune.md")" "$(grep '^Cycles by cause: ' <<<"$out")"
jq -e '.gain | .exceeds_locality == false and .ideal_l1_speedup > 2 and (.causes | length) == 4' report.json >/dev/null || fail "$(jq -c .gain report.json)"
jq -e '.gain.causes[0] | .cause == "memory latency" and .after < 0.9 * .before' report.json >/dev/null || fail "$(jq -c .gain report.json)"
grep -q 'heddle::cluster::launch(weigh, dim3(columns, rows), threads)(table, sums, width);' gain.tuned.cu || fail "$(cat gain.tuned.cu)"
grep -q ColumnMajor gain.tuned.cu || fail "not by columns: $(cat gain.tuned.cu)"
"$HEDDLE" cc -arch=sm_35 gain.tuned.cu -o tuned
[ "$("$HEDDLE" run --functional --quiet -- ./tuned)" = "$("$HEDDLE" run --functional --quiet -- gain.tune/original)" ] ||
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
expect_text "$out" "nothing to gain: an L1 that always hits would gain"
cmp computes.cu same.cu
first=$out
expect_exit 0 "$HEDDLE" tune computes.cu --gpu gtx570 --set gpu.sm_count=2 -o same.cu
[ "$out" = "$first" ] || fail "another answer: $out"
expect_text "$err" "5 of 5 runs already in the store"

# Data that is read once: an ideal L1 would gain, so variants are tried, and agents lose more than the
# 3 % that a rewriting may cost at most. The original is kept.
cat >streams.cu <<'END'
#include <cstdio>
__global__ void copy(const float *in, float *out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = 2 * in[i];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 128 * 64 * 4);
  cudaMalloc(&out, 128 * 64 * 4);
  copy<<<128, 64>>>(in, out);
  printf("%d\n", cudaDeviceSynchronize());
}
END
expect_exit 0 "$HEDDLE" tune streams.cu --gpu gtx570 --set gpu.sm_count=2 -o same.cu --json report.json
expect_text "$out" "nothing to gain: no variant makes a kernel faster"
jq -e '[.variants[].speedup] | length >= 4 and max < 1.01 and min < 0.97' report.json >/dev/null || fail "$(jq -c .variants report.json)"
cmp streams.cu same.cu

# A kernel that cannot be rewritten: the reason is passed on.
sed 's/float sum = 0;/float sum = 0; int ignored; asm("mov.u32 %0, %%ctaid.x;" : "=r"(ignored));/' gain.cu >refused.cu
expect_exit 0 "$HEDDLE" tune refused.cu --gpu gtx570 --set gpu.sm_count=2 -o same.cu
expect_text "$out" "inline PTX reads %ctaid"
expect_text "$out" "nothing to gain: none of the kernels can be rewritten"
cmp refused.cu same.cu

# ---- mistakes

expect_exit 2 "$HEDDLE" tune gain.cu
expect_text "$err" "-o FILE"
expect_exit 2 "$HEDDLE" tune gain.cu -o ./gain.cu
expect_text "$err" "would overwrite the source"
expect_exit 2 "$HEDDLE" tune hotspot -o x.cu
expect_text "$err" "expected a CUDA source"
expect_exit 2 "$HEDDLE" tune gain.cu -o no/folder/x.cu
echo 'int main() { return 0; }' >empty.cu
expect_exit 1 "$HEDDLE" tune empty.cu -o x.cu
[ ! -e x.cu ] || fail "a file was written"
