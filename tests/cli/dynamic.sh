# SPDX-License-Identifier: MIT
# Kernels that launch kernels, built by heddle cc and by nvcc: right results with
# and without time, in small machines and large ones; the latency of launches.
. "$HEDDLE_SOURCE/tests/cli/common"
find_runner

programs=$HEDDLE_SOURCE/tests/dynamic
find_nvcc || nvcc=
need_cc
"$HEDDLE" cc -rdc=true "$programs/together.cu" -o "$scratch/together" >"$scratch/log" 2>&1 ||
  fail "heddle cc: $(cat "$scratch/log")"

passes() {  # PROGRAM OPTIONS...
  local program=$1
  shift
  expect_exit 0 "${runner[@]}" "$HEDDLE" run "$@" --quiet -- "$program"
  expect_text "$out" "PASSED"
}

for source in "$programs"/*.cu; do
  name=$(basename "$source" .cu)
  expect_exit 0 "$HEDDLE" cc -rdc=true "$source" -o "$scratch/$name"
  passes "$scratch/$name" --functional
  passes "$scratch/$name" --gpu k40
  passes "$scratch/$name" --gpu laser13 --set gpu.sm_count=2 --set gpu.hardware_queues=2 \
    --set sm.max_ctas=2
  if [ -n "$nvcc" ]; then
    "$nvcc" -cudart shared $(sed -n "s|^// nvcc: ||p" "$source") "$source" -o "$scratch/$name.nvcc" \
      >"$scratch/log" 2>&1 || fail "nvcc $name: $(cat "$scratch/log")"
    passes "$scratch/$name.nvcc" --functional
    passes "$scratch/$name.nvcc" --gpu k40
  fi
done

# Launches that fail are reported once per kernel and reason, and counted.
for mode in --functional "--gpu k40"; do
  expect_exit 0 "${runner[@]}" "$HEDDLE" run $mode --json "$scratch/out.json" -- "$scratch/limits"
  failed="failed with cudaErrorLaunchPendingCountExceeded (limit: 10 pending; raise gpu.pending_launches"
  expect_text "$err" "heddle: warning: 22 launches by kernel parent $failed"
  expect_text "$err" "heddle: warning: 22 launches by kernel one_per_lane $failed"
  expect_text "$err" "heddle: warning: 100 launches by kernel parent failed"
  [ "$(grep -c warning <<<"$err")" = 3 ] || fail "not three warnings: $err"
  expect_text "$out" "warning: 22 launches by kernel parent $failed"
  expect_text "$(cat "$scratch/out.json")" '"kind": "failed_launches"'
done
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional --quiet -- "$scratch/limits" crowd
expect_text "$out" "PASSED"
[ -z "$err" ] || fail "a warning without cause: $err"

# Far more launches than the pool takes: those that fit run, the others fail, and a recursion ends at the nesting limit.
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional --quiet -- "$scratch/bombs" 100000
expect_text "$out" "PASSED"
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu laser13 -- "$scratch/bombs"
expect_text "$err" "launches by kernel parent failed with cudaErrorLaunchPendingCountExceeded (limit: 2048 pending"
expect_text "$err" "launches by kernel dive failed with cudaErrorLaunchMaxDepthExceeded"

# x launches of a warp arrive A * x + b cycles later.
latencies() {  # OPTIONS...: "count latency" lines of the children
  expect_exit 0 "${runner[@]}" "$HEDDLE" run "$@" --quiet --json "$scratch/out.json" -- "$scratch/together"
  awk '/"launched_cycle"/ { gsub(/[^0-9]/, ""); launched = $0 }
       /"submitted_cycle"/ { gsub(/[^0-9]/, ""); if ($0 - launched) print $0 - launched }' \
    "$scratch/out.json" | sort -n | uniq -c | awk '{ print $1, $2 }' | tr '\n' ';'
}
[ "$(latencies --gpu laser13)" = "1 21931;5 28815;32 75282;" ] ||
  fail "latencies: $(latencies --gpu laser13)"
[ "$(latencies --gpu laser13 --set gpu.launch_base_cycles=100 --set gpu.launch_cycles_each=7)" = \
  "1 107;5 135;32 324;" ] || fail "latencies are not as configured"

# The same results whether cycles are left out or not.
for option in "" --no-skip; do
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu k40 $option --quiet --json "$scratch/run$option.json" -- \
    "$scratch/quicksort" 200
done
diff <(grep -v seconds "$scratch/run.json") <(grep -v seconds "$scratch/run--no-skip.json") >&2 ||
  fail "leaving out cycles changed something"
