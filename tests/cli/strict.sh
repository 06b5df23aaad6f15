# SPDX-License-Identifier: MIT
# Kernels and launches that fail are reported even if the program exits with 0; with
# --strict, and in comparisons, the run has then failed.
. "$HEDDLE_SOURCE/tests/cli/common"
find_runner
need_cc
cd "$scratch"

cat >probe.cu <<'END_OF_PROGRAM'
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>
__global__ void fill(int *out, int offset) { out[threadIdx.x + offset] = 1; }
int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int *out;
  cudaMalloc((void **)&out, 128);
  fill<<<1, 32>>>(out, 0);
  if (!strcmp(what, "fault")) fill<<<1, 32>>>(out, 1 << 20);
  if (!strcmp(what, "empty")) fill<<<0, 32>>>(out, 0);
  for (int i = 0; i < 3 && !strcmp(what, "launch"); i++) fill<<<1, 2048>>>(out, 0);
  if (!strcmp(what, "noticed")) fill<<<1, 2048>>>(out, 0);
  if (!strcmp(what, "noticed") && cudaGetLastError()) return 4;
  cudaDeviceSynchronize();
  return 0;
}
END_OF_PROGRAM
"$HEDDLE" cc probe.cu -o probe >log 2>&1 || fail "heddle cc: $(cat log)"
run() {  # EXIT-CODE [OPTION...] HOW
  expect_exit "$1" "${runner[@]}" "$HEDDLE" run --gpu tiny "${@:2:$#-2}" -- ./probe "${@: -1}"
}

# Exit code 0: the program exited with 0. The message says what failed.
run 0 plain
[ -z "$err" ] || fail "a run without failures reports: $err"
run 0 --strict plain

run 0 fault
expect_text "$err" "./probe exited with 0, but 1 kernel failed; first: kernel fill, CTA (0,0,0), thread (0,0,0)"
expect_text "$err" "access outside any allocation"
run 1 --strict fault
expect_text "$err" "1 kernel failed; first: kernel fill"
run 0 launch
expect_text "$err" "./probe exited with 0, but 3 launches failed; first: fill<<<1, 2048>>>: cudaErrorInvalidConfiguration"
expect_text "$out" "warning: 3 launches of kernel fill failed with cudaErrorInvalidConfiguration"
run 1 --strict launch
expect_text "$err" "3 launches failed; first: fill<<<1, 2048>>>"
run 1 --strict empty
expect_text "$err" "1 launch failed; first: fill<<<0, 32>>>: cudaErrorInvalidConfiguration (a dimension is 0 or too large)"
run 1 noticed
expect_text "$err" "exited with code 4"

# The state does not depend on --strict.
for how in fault launch noticed; do
  for strict in "" --strict; do
    rm -f runs.db out.json
    "${runner[@]}" "$HEDDLE" run --gpu tiny $strict --quiet --json out.json --db runs.db -- ./probe $how >log 2>&1 || true
    [ "$("$HEDDLE" query runs.db --csv "select state from runs" | tail -n 1)" = failed ] ||
      fail "$how $strict: $("$HEDDLE" query runs.db "select state, error from runs")"
    expect_text "$(cat out.json)" '"state": "failed"'
  done
done

# Comparisons are strict.
for how in fault launch; do
  expect_exit 1 "${runner[@]}" "$HEDDLE" compare --gpu tiny --schemes gto --db $how.db -- ./probe $how
  expect_text "$err" "1 of 1 runs failed"
  [ "$("$HEDDLE" query $how.db --csv "select state from runs" | tail -n 1)" = failed ] ||
    fail "$how: $("$HEDDLE" query $how.db "select state, error from runs")"
done
# No variable of the environment changes that.
run 0 launch
expect_exit 0 "${runner[@]}" env CI=true "$HEDDLE" run --gpu tiny -- ./probe launch

# Every place that lists exit codes lists the same.
expect_text "$("$HEDDLE" help)" "1 the simulated program failed, was stopped, or left incomplete results"
expect_text "$("$HEDDLE" help --man | tr '\n' ' ')" "was stopped, or left incomplete results"
expect_text "$(cat "$HEDDLE_SOURCE/docs/usage.md")" "1 the simulated program failed, was stopped, or left incomplete results"
