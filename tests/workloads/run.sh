# SPDX-License-Identifier: MIT
# run.sh NAME: the workload passes its own check at the size tiny, with time and
# without, on three GPUs, under every CTA dispatch policy; and when nvcc built it, where there is nvcc.
. "$HEDDLE_SOURCE/tests/cli/common"

name=$1
need_cc
find_runner

passes() {  # ARGUMENTS of heddle run
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --quiet "$@"
  [ "$(tail -n 1 <<<"$out")" = PASSED ] || fail "$*: no PASSED at the end of"$'\n'"$out"
}

passes "$name" --size tiny --gpu gtx480
passes "$name" --size tiny --gpu k40 --functional

# However CTAs are dispatched, and whatever stands before a cluster's network.
for scheme in "two_level_rr + cc" global_rr greedy_cluster "distributed + icc" block \
  "distributed_block + icc_cc"; do
  passes "$name" --size tiny --gpu clustered60 --scheme "gto + $scheme"
done

# Another seed is another input, and right all the same.
passes "$name" --size tiny --gpu gtx480 --functional -- --seed 7

find_nvcc || exit 0
"$nvcc" -cudart shared -arch=compute_75 -I "$HEDDLE_SOURCE/workloads" -o "$scratch/program" \
  "$HEDDLE_SOURCE/workloads/$name/$name.cu" >"$scratch/log" 2>&1 ||
  fail "nvcc: $(cat "$scratch/log")"
passes --gpu gtx480 --functional -- "$scratch/program" --size tiny
