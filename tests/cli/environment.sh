# SPDX-License-Identifier: MIT
# HEDDLE_* variables configure programs that are started by hand. They reach no
# run that heddle starts itself: its result would not be what its options, and
# the key under which a store keeps it, say.
. "$HEDDLE_SOURCE/tests/cli/common"
find_runner
cd "$scratch"

cat >probe.cu <<'END_OF_PROGRAM'
__global__ void touch(float *data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
int main() {
  float *data;
  cudaMalloc(&data, 64 * 64 * sizeof *data);
  touch<<<64, 64>>>(data);
  return cudaDeviceSynchronize();
}
END_OF_PROGRAM
"$HEDDLE" cc probe.cu -o probe >log 2>&1 || skip "heddle cc does not work here: $(cat log)"
printf 'gpu = tiny\nset = gpu.sm_count=1\n' >options

# Each would change the result if it came through.
polluted=(env HEDDLE_GPU=tiny HEDDLE_SCHEME=lrr HEDDLE_SET="gpu.sm_count=2" HEDDLE_OPTIONS="$scratch/options"
  HEDDLE_INTERVAL=100 HEDDLE_OBSERVE=all HEDDLE_JSON="$scratch/stray.json" HEDDLE_TABLE="$scratch/stray.table")
ask() { "$HEDDLE" query "$1" --csv "$2" | tail -n +2; }

for verb in clean polluted; do
  prefix=()
  [ $verb = clean ] || prefix=("${polluted[@]}")
  expect_exit 0 "${runner[@]}" "${prefix[@]}" "$HEDDLE" compare ./probe --gpu gtx480 --schemes gto --db $verb.db
  [ "$(ask $verb.db "select count(*) from runs where state = 'complete' and mode = 'timing'")" = 1 ] ||
    fail "no complete run with timing in $verb.db"
done
for what in "select cycles, warp_instructions, \"l1d.misses\" from totals" "select settings from configs" \
  "select job from runs" "select count(*) from sqlite_master where name = 'intervals'"; do
  [ "$(ask clean.db "$what")" = "$(ask polluted.db "$what")" ] || fail "the environment changed: $what
$(ask clean.db "$what")
$(ask polluted.db "$what")"
done
expect_text "$err" "HEDDLE_GPU"
[ ! -e stray.json ] && [ ! -e stray.table ] || fail "the variables named files that were written"

# heddle run says what it does not listen to, and means its options alone.
expect_exit 0 "${runner[@]}" env HEDDLE_GPU=tiny HEDDLE_FUNCTIONAL=1 "$HEDDLE" run -- ./probe
expect_text "$out" "probe on gtx480 (15 SMs), timing"
expect_text "$err" "HEDDLE_GPU, HEDDLE_FUNCTIONAL"
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu gtx480 -- ./probe
[ -z "$err" ] || fail "a clean environment is told of: $err"

# Programs started by hand still listen.
expect_exit 0 "${runner[@]}" env LD_LIBRARY_PATH="$(dirname "$HEDDLE")" HEDDLE_GPU=tiny HEDDLE_TABLE=- ./probe
expect_text "$err" "probe on tiny"
