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
  # limits wants a CTA to have launched more than once before its children begin
  timed=(--gpu k40)
  [ "$name" = limits ] && timed+=(--set gpu.launch_holds_warp=false)
  passes "$scratch/$name" --functional --check races:warp=on
  passes "$scratch/$name" "${timed[@]}"
  passes "$scratch/$name" "${timed[@]}" --gpu laser13 --set gpu.sm_count=2 \
    --set gpu.hardware_queues=2 --set sm.max_ctas=2
  if [ -n "$nvcc" ]; then
    "$nvcc" -cudart shared $(sed -n "s|^// nvcc: ||p" "$source") "$source" -o "$scratch/$name.nvcc" \
      >"$scratch/log" 2>&1 || fail "nvcc $name: $(cat "$scratch/log")"
    passes "$scratch/$name.nvcc" --functional
    passes "$scratch/$name.nvcc" "${timed[@]}"
  fi
done

# Launches that fail are reported once per kernel and reason, and counted.
for mode in --functional "--gpu k40 --set gpu.launch_holds_warp=false"; do
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
many=1000000
[ ${#runner[@]} = 0 ] || many=100000
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional --quiet -- "$scratch/bombs" $many
expect_text "$out" "PASSED"
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu laser13 -- "$scratch/bombs"
expect_text "$err" "launches by kernel parent failed with cudaErrorLaunchPendingCountExceeded (limit: 2048 pending"
expect_text "$err" "warning: 1 launch by kernel dive failed with cudaErrorLaunchMaxDepthExceeded (limit: depth 24"

# A parent that faults after its launches: the fault is reported with its place, and the results of all kernels before and
# after it are there; its own are marked as incomplete, and the run as failed.
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu k40 --quiet --db "$scratch/failed.db" -- "$scratch/failed_parent"
expect_text "$err" "kernel parent, CTA (3,0,0), thread (49,0,0): access through a null pointer: 4-byte write of global 0x10"
expect_text "$err" "kernel child, CTA (0,0,0), thread (0,0,0): access through a null pointer"
failed() { "$HEDDLE" query "$scratch/failed.db" --csv "$1" | tail -n +2; }
[ "$(failed "select state from runs")" = failed ] || fail "state: $(failed "select state from runs")"
[ "$(failed "select count(*) from kernels where name like '%parent%' and not over_cycle")" = 6 ] ||
  fail "six parents did not complete"
[ "$(failed "select count(*) from kernels where parent in (select id from kernels where name like '%parent%' and over_cycle)
  and over_cycle")" = 1200 ] || fail "children of the parents that did not fail"

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

# A store knows who launched whom, and the page's data has it.
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu laser13 --quiet --db "$scratch/tree.db" -- "$scratch/quicksort" 200
ask() { "$HEDDLE" query "$scratch/tree.db" --csv "$1" | tail -n +2; }
kernels=$(ask 'select count(*) from kernels')
[ "$kernels" -gt 5 ] || fail "$kernels kernels"
[ "$(ask 'with recursive tree(id, depth) as (select id, 0 from kernels where parent is null union all
  select k.id, tree.depth + 1 from kernels as k join tree on k.parent = tree.id)
  select count(*), max(tree.depth), sum(tree.depth <> coalesce(k.depth, 0))
  from tree join kernels as k on k.id = tree.id')" = \
  "$kernels,$(ask 'select max(depth) from kernels'),0" ] || fail "the tree of launches"
[ "$(ask 'select count(*) from kernels where parent is not null and not (launched_cycle < submitted_cycle
  and submitted_cycle <= started_cycle and started_cycle < ended_cycle and ended_cycle <= over_cycle)')" = 0 ] ||
  fail "times of launches"
[ "$(ask 'select count(*) from kernels where sms_used <> 1 or first_sm >= 13 or parent_sm >= 13')" = 0 ] ||
  fail "kernels of one CTA run on one SM"
expect_exit 0 "$HEDDLE" report "$scratch/tree.db" --output "$scratch/tree.json"
expect_text "$(cat "$scratch/tree.json")" '"launches"'

# The same results whether cycles are left out or not.
for option in "" --no-skip; do
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu k40 $option --quiet --json "$scratch/run$option.json" -- \
    "$scratch/quicksort" 200
done
diff <(grep -v seconds "$scratch/run.json") <(grep -v seconds "$scratch/run--no-skip.json") >&2 ||
  fail "leaving out cycles changed something"
