# SPDX-License-Identifier: MIT
# heddle run -- PROGRAM, with programs that heddle cc built: options, exit
# codes, signals, crashes, and results in each case.
. "$HEDDLE_SOURCE/tests/cli/common"
find_runner
# Crashes are what is tried here: the sanitizer leaves them alone.
[ ${#runner[@]} = 0 ] || runner+=(ASAN_OPTIONS=handle_segv=0:handle_abort=0)

cat >"$scratch/probe.cu" <<'END'
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
__global__ void spin(int *out, long long rounds) {
  int sum = threadIdx.x;
  for (long long i = 0; i < rounds; i++) sum = sum * 3 + (int)i;
  out[threadIdx.x] = sum;
}
int main(int argc, char **argv) {
  int *out;
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "nothing")) return 0;
  if (cudaMalloc((void **)&out, 128)) return 9;
  spin<<<1, 32>>>(out, 10);
  if (cudaDeviceSynchronize()) return 8;
  printf("began %s\n", what);
  fflush(stdout);
  if (!strcmp(what, "exit")) return 5;
  if (!strcmp(what, "crash")) raise(SIGSEGV);
  if (!strcmp(what, "abort")) abort();
  if (!strcmp(what, "late")) spin<<<1, 32>>>(out, 10);  // nobody waits for it
  if (!strcmp(what, "long")) {
    spin<<<1, 32>>>(out, 1ll << 50);
    cudaDeviceSynchronize();
  }
  return 0;
}
END
need_cc
"$HEDDLE" cc "$scratch/probe.cu" -o "$scratch/probe" >"$scratch/log" 2>&1 ||
  fail "heddle cc: $(cat "$scratch/log")"

kernels() { grep -c '"name": "_Z4spin' "$scratch/out.json"; }

run() {  # EXIT-CODE ARGUMENT: runs the probe with results in out.json
  rm -f "$scratch/out.json"
  expect_exit "$1" "${runner[@]}" "$HEDDLE" run --json "$scratch/out.json" -- "$scratch/probe" "$2"
}

run 0 plain
expect_text "$out" "began plain"
expect_text "$out" "probe on gtx480"
[ "$(kernels)" = 1 ] || fail "one kernel was launched"
expect_text "$(cat "$scratch/out.json")" '"complete": true'

run 0 late
[ "$(kernels)" = 2 ] || fail "the kernel that nobody waited for is missing"

run 1 exit
expect_text "$err" "exited with code 5"
expect_text "$(cat "$scratch/out.json")" '"complete": true'

run 1 crash
expect_text "$err" "signal 11"
expect_text "$(cat "$scratch/out.json")" '"error": "killed by signal 11"'
run 1 abort
expect_text "$err" "signal 6"
[ "$(kernels)" = 1 ] || fail "the kernel before the crash is missing"

# Signals reach the program in the middle of a kernel, and end it with results.
for signal in TERM HUP; do
  rm -f "$scratch/out.json"
  "${runner[@]}" "$HEDDLE" run --json "$scratch/out.json" -- "$scratch/probe" long >"$scratch/long.out" 2>"$scratch/long.err" &
  heddle=$!
  until grep -q began "$scratch/long.out"; do
    sleep 0.05
    kill -0 $heddle 2>/dev/null || fail "the run ended by itself: $(cat "$scratch/long.err")"
  done
  wait_for_cpu $heddle 30
  child=$(pgrep -P $heddle -x probe)
  if [ $signal = TERM ]; then kill -TERM $heddle; else kill -HUP "$child"; fi
  code=0
  wait $heddle || code=$?
  [ $code = 1 ] || fail "exit code $code instead of 1 after SIG$signal"
  [ "$(kernels)" = 2 ] || fail "after SIG$signal $(kernels) kernels are in the results"
  expect_text "$(cat "$scratch/out.json")" '"complete": false'
done

# Options reach the child, wrong ones stop at the door.
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu tiny --set gpu.sm_count=1 --functional -- "$scratch/probe"
expect_text "$out" "on tiny (1 SMs), functional"
expect_exit 2 "${runner[@]}" "$HEDDLE" run --gpu tinny -- "$scratch/probe"
expect_exit 2 "${runner[@]}" "$HEDDLE" run --set gpu.nonsense=1 -- "$scratch/probe"
expect_exit 1 "${runner[@]}" "$HEDDLE" run --max-cycles 100 -- "$scratch/probe"
expect_exit 2 "${runner[@]}" "$HEDDLE" run -- "$scratch/no such program"
expect_text "$err" "cannot run"
expect_exit 0 "${runner[@]}" "$HEDDLE" run -- "$scratch/probe" nothing
[ -z "$out$err" ] || fail "something is said of a program that asks nothing of the GPU: $out$err"
for quiet in "" --quiet; do
  expect_exit 2 "${runner[@]}" "$HEDDLE" run $quiet -- true
  expect_text "$err" "does not use the simulated GPU"
done

# By hand: the file of a run.
echo '{"gpu": "tiny", "functional": true, "table": "-"}' >"$scratch/run.json"
expect_exit 0 "${runner[@]}" env LD_LIBRARY_PATH="$(dirname "$HEDDLE")" HEDDLE_RUN="$scratch/run.json" "$scratch/probe"
expect_text "$err" "on tiny"
echo '{"gpus": "tiny"}' >"$scratch/run.json"
expect_exit 9 "${runner[@]}" env LD_LIBRARY_PATH="$(dirname "$HEDDLE")" HEDDLE_RUN="$scratch/run.json" "$scratch/probe"
expect_text "$err" "HEDDLE_RUN: $scratch/run.json: unknown field 'gpus' of a run; did you mean 'gpu'?"

# The file of a command, performed.
expect_exit 0 "$HEDDLE" run --print-run --gpu tiny --set gpu.sm_count=1 --quiet --json "$scratch/by_file.json" -- "$scratch/probe"
echo "$out" >"$scratch/by_file.run"
expect_exit 0 "${runner[@]}" "$HEDDLE" perform "$scratch/by_file.run"
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu tiny --set gpu.sm_count=1 --quiet --json "$scratch/by_hand.json" -- "$scratch/probe"
[ "$(grep -v seconds "$scratch/by_file.json")" = "$(grep -v seconds "$scratch/by_hand.json")" ] || fail "a run by its file differs"
expect_exit 2 "$HEDDLE" perform no.json
expect_text "$err" "no.json"
echo '{"gpu": "tiny"}' >run.json
expect_exit 2 "$HEDDLE" perform run.json
expect_text "$err" "run.json: no program"
echo '{"program": "matrixMul", "config": {"gpu": {"sm_count": "1"}}}' >run.json
expect_exit 2 "$HEDDLE" perform run.json
expect_text "$err" "unknown field 'config' of a run"
