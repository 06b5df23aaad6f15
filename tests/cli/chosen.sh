# SPDX-License-Identifier: MIT
# What of a run is simulated, observed and shown: chosen kernels, limits,
# observers, JSON on standard output, and progress; of programs and of case files.
. "$HEDDLE_SOURCE/tests/cli/common"
find_runner
cd "$scratch"

cat >probe.cu <<'END_OF_PROGRAM'
#include <cstdio>
#include <cstdlib>
__global__ void first(int *data) { data[blockIdx.x * 64 + threadIdx.x] += 1; }
template <typename T, int N> __global__ void second(T *data) { data[blockIdx.x * 64 + threadIdx.x] *= N; }
__global__ void spin(volatile int *data, long long rounds) {
  for (long long i = 0; i < rounds; i++) data[threadIdx.x] += (int)i;
}
int main(int argc, char **argv) {
  int *data, host[64 * 64];
  long long sum = 0;
  cudaMalloc(&data, sizeof host);
  cudaMemset(data, 0, sizeof host);
  for (int i = 0; i < 3; i++) {
    first<<<64, 64>>>(data);
    second<int, 3><<<64, 64>>>(data);
  }
  cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64 * 64; i++) sum += host[i];
  printf("sum %lld\n", sum);
  fflush(stdout);
  if (argc > 1) spin<<<1, 64>>>(data, atoll(argv[1]));
  return cudaDeviceSynchronize() ? 3 : 0;
}
END_OF_PROGRAM
"$HEDDLE" cc probe.cu -o probe >log 2>&1 || skip "heddle cc does not work here: $(cat log)"
cat >six.case <<END_OF_CASE
ptx $HEDDLE_SOURCE/tests/reference/ref.ptx
alloc O 64
alloc A 81920
$(for i in 1 2 3; do
  echo "launch fma_chain 1 1 1 16 1 1 \$O f:0.5 i:$i"
  echo "launch vecadd 320 1 1 64 1 1 \$A \$A \$A"
done)
END_OF_CASE
program() { expect_exit "$1" "${runner[@]}" "$HEDDLE" run --gpu tiny --json out.json "${@:2}" -- ./probe; }
case_file() { expect_exit "$1" "$HEDDLE" run six.case --gpu tiny --json out.json "${@:2}"; }

# ---- kernels by number and by name

untimed() { echo $(grep -B 9 '"timed": false' out.json | sed -n 's/^ *"launch": \([0-9]*\),$/\1/p'); }
cycles() { sed -n 's/^ *"cycles": \([0-9]*\),$/\1/p' out.json; }  # of each that has them, and of all
program 0
all=$(cycles)
[ -z "$(untimed)" ] && [ "$(wc -l <<<"$all")" = 7 ] || fail "without a choice: $(untimed)"
while IFS='|' read -r choice rest; do
  program 0 --kernels "$choice"
  [ "$(untimed)" = "$rest" ] || fail "--kernels $choice leaves '$(untimed)' without timing, not '$rest'"
  expect_text "$out" "sum 159744"  # 39 each
  expect_text "$out" "$(wc -w <<<"$rest") of 6 launches ran without timing"
  sum=$(($(cycles | head -n -1 | paste -sd+)))
  [ "$(cycles | tail -n 1)" = "$sum" ] || fail "the total is not that of the chosen kernels"
done <<'END_OF_LIST'
0|1 2 3 4 5
1-2,5|0 3 4
4-|0 1 2 3
first|1 3 5
second|0 2 4
sec*,0|2 4
second<int, 3>, 2|0 4
_Z5first*|1 3 5
END_OF_LIST
# The first kernel is timed as if nothing followed.
program 0 --kernels 0
[ "$(cycles | head -n 1)" = "$(head -n 1 <<<"$all")" ] || fail "a choice changes the first kernel"
# Workloads of a study choose for themselves.
cat >parts.ini <<'END_OF_STUDY'
[study]
workloads = all, one
gpus = tiny
schemes = lrr
kernels = second
[workload *]
is = ./probe
[workload one]
kernels = 4
END_OF_STUDY
program 0 --kernels second --scheme lrr
all_second=$(cycles | tail -n 1)
program 0 --kernels 4 --scheme lrr
expect_exit 0 "$HEDDLE" study parts.ini --quiet
expect_exit 0 "$HEDDLE" query parts.db --csv "select cycles from totals join runs on id = run order by cycles desc"
[ "$(tail -n +2 <<<"$out" | paste -sd,)" = "$all_second,$(cycles | tail -n 1)" ] || fail "kernels of workloads: $out, not $all_second,$(cycles | tail -n 1)"
# What selects nothing is an error, with the names that exist; an item of several, a warning.
program 2 --kernels 'none_such, 7-9'
expect_text "$out" "6 of 6 launches ran without timing"
expect_text "$err" "./probe: --kernels: no launch matches 7-9, 'none_such'; kernels: first, second<int, 3>; 6 launches, numbered from 0"
expect_text "$(cat out.json)" '"complete": false'
program 0 --kernels 'none_such,first'
expect_text "$err" "warning: --kernels: no launch matches 'none_such'; kernels: first, "
case_file 2 --kernels 'vecad'
expect_text "$err" "--kernels: no launch matches 'vecad'; kernels: fma_chain, vecadd; 6 launches"
expect_text "$(cat out.json)" '"complete": false'
case_file 0 --kernels 9,vecadd
expect_text "$err" "warning: --kernels: no launch matches 9; "
expect_exit 2 "$HEDDLE" trace-events six.case --gpu tiny --kernels vecad --output trace.json
expect_text "$err" "no launch matches 'vecad'"
case_file 0 --kernels vecadd,0
[ "$(untimed)" = "2 4" ] || fail "of the case '$(untimed)' are without timing"
case_file 0 --kernels 1 --observe all --interval 100 --per-sm
for mistake in 5-3 3- x, 7x 7-x ""; do
  [ "$mistake" != 3- ] || continue
  program 2 --kernels "$mistake"
  expect_text "$err" "--kernels"
done
program 2 --kernels 1 --functional

# ---- limits: what there is stays

stopped() {  # TEXT: exit code 1, partial results
  expect_text "$err" "$1"
  grep -q '^  "complete": false' out.json || fail "$1: complete"
  grep -q '^  "error": ".*stopped after' out.json || fail "$1: no reason in the JSON"
}
ctas() { sed -n '/^  "total"/,$s/^    "ctas": \([0-9]*\),$/\1/p' out.json; }
program 1 --max-ctas 100
stopped "probe: stopped after"
[ "$(ctas)" -ge 100 ] && [ "$(ctas)" -lt 164 ] || fail "$(ctas) CTAs"
case $out in *sum*) fail "the program went on" ;; esac
program 1 --max-ctas 100 --functional
stopped "probe: "
[ "$(ctas)" = 100 ] || fail "$(ctas) CTAs without time"
program 1 --max-cycles 500
stopped "probe: stopped after 500 cycles"
program 1 --max-instructions 1000 --functional
stopped "probe: "
program 0 --max-ctas 384 --max-instructions 1000000 --max-cycles 1000000
case_file 1 --max-ctas 100
stopped "six.case:5: stopped after"
case_file 1 --max-ctas 100 --functional
stopped "six.case:5: "
case_file 1 --max-instructions 20 --functional
stopped "six.case:"
# Launches of the host count, timed or not.
launched() { sed -n '/^  "total"/,$s/^    "launches": \([0-9]*\),*$/\1/p' out.json; }
for options in "" --functional "--kernels 1"; do
  program 1 --max-launches 2 $options
  stopped "probe: stopped after 2 launches"
  [ "$(launched)" = 2 ] || fail "$(launched) launches with '$options'"
done
case_file 1 --max-launches 3
stopped "six.case:7: stopped after 3 launches"
program 0 --max-launches 6
# Of chosen kernels only what is timed counts.
program 0 --kernels 0 --max-ctas 65
program 1 --kernels 0-1 --max-ctas 65
for option in --max-cycles --max-ctas --max-instructions --max-launches; do
  program 2 $option many
  expect_text "$err" "$option"
done

# ---- observers add to the default

tables() { echo $(sed -n 's/^    "\(accesses\|reuse\|load_latency\)": \[.*/\1/p' out.json); }
for run in program case_file; do
  $run 0
  default=$(tables)
  [ -n "$default" ] || fail "no default table"
  $run 0 --observe latency
  [ "$(tables)" = "$default load_latency" ] || fail "--observe latency: $(tables)"
  $run 0 --observe none
  [ -z "$(tables)" ] || fail "--observe none: $(tables)"
  $run 0 --observe none --observe latency
  [ "$(tables)" = load_latency ] || fail "--observe none --observe latency: $(tables)"
  $run 0 --observe latency --observe latency:bin_cycles=8
  [ "$(tables)" = "$default load_latency" ] || fail "latency twice: $(tables)"
  grep -q '"below_cycles": 8' out.json || fail "the later of two is not taken"
  $run 2 --observe latancy
  expect_text "$err" "--observe latancy"
  $run 2 --observe latency:bin_cycles=x
done

# ---- JSON alone on standard output

expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu tiny --json - -- ./probe
[ "$(head -n 1 <<<"$out")" = "{" ] && [ "$(tail -n 1 <<<"$out")" = "}" ] || fail "more than JSON: $out"
case $out in *"sum 159744"*) fail "the program's output is among the JSON" ;; esac
expect_text "$err" "sum 159744"

# ---- progress, on a terminal only

expect_exit 1 "${runner[@]}" "$HEDDLE" run --gpu tiny --quiet --max-cycles 300000 -- ./probe 1000000000
[ "$(head -n 1 <<<"$err")" = "heddle: ./probe: $(sed -n '1s/.*\(stopped after\)/\1/p' <<<"$err")" ] || fail "progress without a terminal: $err"
case $err in *"instr."*) fail "progress without a terminal: $err" ;; esac
if script -qec true /dev/null >/dev/null 2>&1; then
  for seconds in 3 20; do  # a busy host may need a while
    script -qec "timeout -s INT $seconds ${runner[*]} '$HEDDLE' run --gpu tiny -- ./probe 1000000000" /dev/null \
      >terminal 2>&1 </dev/null || true
    tr '\r' '\n' <terminal >lines
    updates=$(grep -c '6 done, spin.*: [0-9,]* cycles, .*/s; .* instr\., .*/s; 0/1 CTAs' lines) || true
    [ "$updates" -lt 2 ] || break
  done
  [ "$updates" -ge 2 ] && [ "$updates" -le $((10 * seconds)) ] || fail "$updates updates: $(cat -v lines)"
  grep -q '^sum 159744$' lines || fail "progress and output of the program are mixed: $(cat -v lines)"
  expect_text "$(tail -n 3 lines)" "signal 2"
else
  echo "no pseudo-terminal here: the line itself was not tried"
fi
