# SPDX-License-Identifier: MIT
# heddle partition: from the sharing graph of a run to a map that the machine and
# a rewritten program use.
. "$HEDDLE_SOURCE/tests/cli/common"
need_cc
find_runner
cd "$scratch"

# Column x of the grid reads row x of `data`: 64 lines per CTA, shared by a column.
cat >columns.cu <<'END'
#include <cstdio>
__global__ void columns(const int *data, int *sums) {
  int sum = 0;
  for (int i = 0; i < 64; i++) sum += data[(blockIdx.x * 64 + i) * 32 + threadIdx.x];
  if (threadIdx.x == 0) sums[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}
int main() {
  int *data, *sums, host[120];
  cudaMalloc(&data, 15 * 64 * 32 * 4);
  cudaMemset(data, 1, 15 * 64 * 32 * 4);
  cudaMalloc(&sums, sizeof host);
  columns<<<dim3(15, 8), 32>>>(data, sums);
  cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 120; i++)
    if (host[i] != 64 * 0x01010101) return 1;
  return puts("PASSED") < 0;
}
END
"$HEDDLE" cc -O1 columns.cu -o columns
"${runner[@]}" "$HEDDLE" run --gpu gtx570 --quiet --observe sharing:graph=true --json shared.json -- ./columns >/dev/null
expect_exit 0 "$HEDDLE" partition shared.json -o map.txt
[[ $err != *"without METIS"* ]] || fail "built without METIS"
expect_text "$out" "columns"
expect_text "$out" "grid 15x8x1, 1 launch, 15 clusters, 26,880 lines shared by pairs of CTAs"
grep -q '^ *column *26,880 *100.0 %$' <<<"$out" || fail "columns keep everything: $out"
grep -q '^ *METIS *26,880 *100.0 %$' <<<"$out" || fail "METIS finds the columns: $out"
grep -q '^ *row *0 *0.0 %$' <<<"$out" || fail "rows keep nothing: $out"
[ "$(grep -v '^#' map.txt | tr ' ' '\n' | grep -c .)" = 120 ] || fail "not 120 numbers: $(cat map.txt)"

# The machine: each column's data comes once to one SM.
misses() {
  "${runner[@]}" "$HEDDLE" run --gpu gtx570 --quiet --set policy.cta_dispatch="$1" --json run.json -- ./columns >out.txt
  grep -q PASSED out.txt || fail "wrong results under $1"
  sed -n 's/.*"l1d.misses": *\([0-9]*\).*/\1/p; s/^ *"misses": *\([0-9]*\).*/\1/p' run.json | head -n 1
}
by_map=$(misses clustered:order=map,map=map.txt)
by_column=$(misses clustered:order=column)
by_row=$(misses clustered:order=row)
[ "$by_map" -eq "$by_column" ] || fail "map $by_map, column $by_column misses"
[ "$by_map" -lt $((by_row / 4)) ] || fail "map $by_map, row $by_row misses"

# The rewritten program, with the same map.
if [ -e "$(dirname "$HEDDLE")/libheddle_cluster.so" ]; then
  expect_exit 0 "$HEDDLE" cluster columns.cu --order table=map.txt -o rewritten.cu
  "$HEDDLE" cc -O1 rewritten.cu -o rewritten
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu gtx570 --quiet -- ./rewritten
  expect_text "$out" PASSED
fi

# Mistakes.
expect_exit 2 "$HEDDLE" partition shared.json --kernel rows
expect_text "$err" "--kernel rows: unknown kernel; available: columns"
expect_exit 2 "$HEDDLE" partition shared.json --clusters none
expect_text "$err" "--clusters none: expected a number from 1 to 65536"
expect_exit 2 "$HEDDLE" partition run.json
expect_text "$err" "no sharing graph; run with"
expect_exit 2 "$HEDDLE" partition missing.json
expect_text "$err" "missing.json"
expect_exit 2 "$HEDDLE" run --gpu gtx570 --set policy.cta_dispatch=clustered:order=map -- ./columns
expect_text "$err" "order=map requires a file"
expect_exit 2 "$HEDDLE" run --gpu gtx570 --set policy.cta_dispatch=clustered:order=map,map=missing.txt -- ./columns
expect_text "$err" "missing.txt"
