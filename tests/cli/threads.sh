# SPDX-License-Identifier: MIT
# Host threads that use the runtime all at once, with SMs on several threads of
# ours; and programs with streams and with kernels that launch kernels, whose
# results are the same however they are run. What a sanitizer looks at for races.
. "$HEDDLE_SOURCE/tests/cli/common"
need_cc
find_runner

build() {  # SOURCE OPTION...
  "$HEDDLE" cc "$HEDDLE_SOURCE/tests/$1" "${@:2}" -o "$scratch/$(basename "$1" .cu)" >"$scratch/log" 2>&1 ||
    fail "heddle cc $1: $(cat "$scratch/log")"
}

build cuda/crowd.cu
expect_exit 0 "${runner[@]}" "$HEDDLE" run --quiet --threads 3 -- "$scratch/crowd"
expect_text "$out" "crowd: PASSED"

run() {  # NAME PROGRAM SCHEME BEFORE OPTION...: leaves NAME without what measures the host
  local name=$1 program=$2 scheme=$3 before=$4
  shift 4
  expect_exit 0 "${runner[@]}" $before "$HEDDLE" run --quiet --gpu clustered60 --set gpu.sm_count=8 \
    --scheme "$scheme" --observe all --json "$scratch/json" "$@" -- "$scratch/$program"
  grep -v '_seconds"' "$scratch/json" >"$scratch/$name"
}

same() {  # PROGRAM SCHEME
  run first "$1" "$2" ""
  run other "$1" "$2" "" --threads 2
  cmp "$scratch/first" "$scratch/other" || fail "$1 with $2: not the same on two threads"
  run other "$1" "$2" "" --no-skip
  cmp "$scratch/first" "$scratch/other" || fail "$1 with $2: not the same step by step"
  run other "$1" "$2" "env MALLOC_PERTURB_=165"
  cmp "$scratch/first" "$scratch/other" || fail "$1 with $2: not the same elsewhere in memory"
}

build cuda/streams.cu
build dynamic/order.cu -rdc=true
same streams "gto + distributed_block + icc_cc"
same order "laws + sap"
