# SPDX-License-Identifier: MIT
# The limit on loads of laws_early, on one SM: KM, whose warps evict each other's lines, is
# faster with it. HISTO, whose kernels differ and reuse nothing, and LUD, whose kernels are
# shorter than the trials, lose nothing by it.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
find_runner
cycles() {  # SCHEME WORKLOAD ARGUMENTS
  local scheme=$1 name=$2
  shift 2
  expect_exit 0 "${runner[@]}" "$HEDDLE" run "$name" --gpu apres15 --set gpu.sm_count=1 --set gpu.channels=1 \
    --scheme "$scheme" --observe none --quiet --json "$scratch/run.json" -- "$@"
  sed -n '/"total"/,/}/s/^ *"cycles": \([0-9]*\).*/\1/p' "$scratch/run.json" | head -1
}
both() {  # WORKLOAD ARGUMENTS; sets free and limited
  free=$(cycles "laws + early" "$@") limited=$(cycles laws_early "$@")
  echo "$*: $free cycles, $limited with the limit"
  [ -n "$free" ] && [ -n "$limited" ] || fail "$*: there are no cycles"
}

both kmeans --points 1536 --rounds 1
[ $((limited * 10)) -lt $((free * 9)) ] || fail "the limit gains less than 10 % in KM: $limited for $free"
both histo --values 13108
[ $((limited * 100)) -le $((free * 102)) ] || fail "the limit costs HISTO more than 2 %: $limited for $free"
both lud --n 96
[ "$limited" = "$free" ] || fail "kernels that are shorter than the trials were limited: $limited for $free"
