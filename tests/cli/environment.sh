# SPDX-License-Identifier: MIT
# HEDDLE_RUN configures programs that are started by hand. It reaches no run that heddle starts
# itself: its result would not be what its options, and the key under which a store keeps it, say.
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
echo '{"gpu": "tiny", "scheme": "lrr", "set": ["gpu.sm_count=2"], "interval": 100, "observe": ["all"],
  "json": "'"$scratch/stray.json"'", "table": "'"$scratch/stray.table"'", "functional": true}' >stray.run

# Each would change the result if it came through.
polluted=(env HEDDLE_RUN="$scratch/stray.run" HEDDLE_GPU=tiny HEDDLE_FUNCTIONAL=1 HEDDLE_REPORT="$scratch")
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
expect_text "$err" "ignored: HEDDLE_RUN=$scratch/stray.run"
[ ! -e stray.json ] && [ ! -e stray.table ] || fail "the variables named files that were written"

# heddle run says what it does not listen to, and means its options alone.
expect_exit 0 "${runner[@]}" env HEDDLE_RUN="$scratch/stray.run" "$HEDDLE" run -- ./probe
expect_text "$out" "probe on gtx480 (15 SMs), timing"
expect_text "$err" "ignored: HEDDLE_RUN="
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu gtx480 -- ./probe
[ -z "$err" ] || fail "a clean environment is told of: $err"

# Programs started by hand listen to it.
echo '{"gpu": "tiny", "table": "-"}' >tiny.run
expect_exit 0 "${runner[@]}" env LD_LIBRARY_PATH="$(dirname "$HEDDLE")" HEDDLE_RUN=tiny.run ./probe
expect_text "$err" "probe on tiny"
# Nothing else of the environment is read by what simulates.
! grep -rn getenv "$HEDDLE_SOURCE"/src/{policies,observers,memory,sm,gpu,exec,functional,run,report,study,batch,tune} |
  grep -v "src/batch/slurm.c" || fail "the environment is read"
