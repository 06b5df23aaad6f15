# SPDX-License-Identifier: MIT
# Kernels of several streams run at the same time, those of one stream do not.
. "$HEDDLE_SOURCE/tests/cli/common"
find_runner

cat >"$scratch/overlap.cu" <<'END'
#include <cuda_runtime.h>
__global__ void spin(int *out, int rounds) {
  int sum = threadIdx.x;
  for (int i = 0; i < rounds; i++) sum = sum * 3 + i;
  out[threadIdx.x] = sum;
}
int main(int argc, char **) {
  int *out;
  cudaStream_t streams[2];
  cudaMalloc((void **)&out, 4 * 128);
  for (int i = 0; i < 2; i++) cudaStreamCreate(&streams[i]);
  for (int i = 0; i < 4; i++)
    spin<<<1, 32, 0, streams[argc > 1 ? 0 : i % 2]>>>(out + 32 * i, 500);
  return cudaDeviceSynchronize();
}
END
need_cc
"$HEDDLE" cc "$scratch/overlap.cu" -o "$scratch/overlap" >"$scratch/log" 2>&1 ||
  fail "heddle cc: $(cat "$scratch/log")"

cycles() {  # NAME: the values of the four kernels, in the order of their launches
  sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" "$scratch/out.json" | tr '\n' ' '
}

expect_exit 0 "${runner[@]}" "$HEDDLE" run --quiet --json "$scratch/out.json" -- "$scratch/overlap"
read -r s0 s1 s2 s3 <<<"$(cycles started_cycle)"
read -r e0 e1 e2 e3 <<<"$(cycles ended_cycle)"
[ "$s1" -lt "$e0" ] && [ "$s0" -lt "$e1" ] || fail "the first kernels of two streams do not overlap"
[ "$s2" -ge "$e0" ] && [ "$s3" -ge "$e1" ] || fail "kernels of one stream overlap"
[ "$s3" -lt "$e2" ] && [ "$s2" -lt "$e3" ] || fail "the second kernels of two streams do not overlap"

expect_exit 0 "${runner[@]}" "$HEDDLE" run --quiet --json "$scratch/out.json" -- "$scratch/overlap" one
read -r s0 s1 s2 s3 <<<"$(cycles started_cycle)"
read -r e0 e1 e2 e3 <<<"$(cycles ended_cycle)"
[ "$s1" -ge "$e0" ] && [ "$s2" -ge "$e1" ] && [ "$s3" -ge "$e2" ] || fail "one stream overlaps itself"
