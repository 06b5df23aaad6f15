# SPDX-License-Identifier: MIT
# Schemes that know a recorded run: heddle run makes that run first; a file can be kept and
# given; a run that launches another tree, and files that are none, are refused.
. "$HEDDLE_SOURCE/tests/cli/common"
find_runner
need_cc

cat >"$scratch/tree.cu" <<'END'
#include <cstdio>
#include <cstdlib>
__global__ void leaf(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&data[i], 1);
}
__global__ void root(int *data, int n, int children) {
  if (threadIdx.x < children) leaf<<<2, 64>>>(data, n);
}
int main(int, char **words) {
  int *data, sum = 0, host[128], children = atoi(words[1]);
  cudaMalloc(&data, sizeof host);
  cudaMemset(data, 0, sizeof host);
  root<<<3, 32>>>(data, 128, children);
  cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 128; i++) sum += host[i];
  printf("%d\n", sum);
  return sum != 3 * 128 * children;
}
END
expect_exit 0 "$HEDDLE" cc -rdc=true "$scratch/tree.cu" -o "$scratch/tree"
run() { "${runner[@]}" "$HEDDLE" run --gpu laser13 --set gpu.sm_count=2 "$@"; }
value() { sed -n "s/^ *\"$1\": \([0-9]*\).*/\1/p" "$scratch/out.json" | tail -1; }

# What the program prints is shown once; all kernels are found again, chains are followed.
for scheme in dp_kernel dp_wg dp_wavefront; do
  expect_exit 0 run --scheme $scheme --quiet --json "$scratch/out.json" -- "$scratch/tree" 5
  [ "$out" = 1920 ] || fail "$scheme prints '$out'"
  expect_text "$err" "recording reuse_profile in a first run"
  [ "$(value shared.reuse_profile.known)" = 16 ] || fail "$scheme: $(value shared.reuse_profile.known) kernels known"
  [ "$(value shared.reuse_profile.unknown)" = 0 ] || fail "$scheme: kernels unknown"
done
[ "$(value cta_dispatch.reuse_chains.chained)" -gt 0 ] || fail "no chain was followed"
expect_exit 0 run --scheme dp_wg --functional --quiet -- "$scratch/tree" 5
[ -z "$err" ] || fail "a functional run needs no record: $err"

# The same by hand; recording does not change the cycles.
file=$scratch/tree.reuse
expect_exit 0 run --quiet --json "$scratch/out.json" -- "$scratch/tree" 5
plain=$(value cycles)
expect_exit 0 run --quiet --observe "reuse_profile:file=$file" --json "$scratch/out.json" -- "$scratch/tree" 5
[ "$(value cycles)" = "$plain" ] || fail "recording has changed the cycles"
known() { run --quiet --scheme "dp_wavefront + shared=reuse_profile:file=$file$1" --json "$scratch/out.json" -- "$scratch/tree" "$2"; }
expect_exit 0 known "" 5
[ -z "$err" ] || fail "a file was given: $err"

# Another tree is an error that says so, or is let pass.
expect_exit 2 known "" 6
expect_text "$err" "the run departs from the recorded one"
expect_text "$err" "no counterpart"
expect_exit 2 known "" 4
expect_text "$err" "launched more kernels in the recorded run"
expect_exit 0 known ",strict=false" 6
[ "$(value shared.reuse_profile.unknown)" = 3 ] || fail "$(value shared.reuse_profile.unknown) kernels unknown instead of 3"

# A program that fails while it is recorded.
expect_exit 1 run --scheme dp_wg --quiet -- "$scratch/tree" 40
expect_text "$err" "recording run for reuse_profile failed"
file=$scratch/none
expect_exit 2 known "" 5
expect_text "$err" "cannot open"
echo "some text that is longer than the header of a profile, which has 48 bytes" >"$scratch/text"
file=$scratch/text
expect_exit 2 known "" 5
expect_text "$err" "not a reuse profile"
