# SPDX-License-Identifier: MIT
# run.sh NAME: the workload passes its own check at the size tiny, with time and
# without, without data races, on three GPUs, under every CTA dispatch policy; and when nvcc built it, where there is nvcc.
# So it does with the options that lines "// test: OPTIONS" of the source name, and on the GPU of
# those that say "// test GPU: OPTIONS".
# Programs with dynamic parallelism also pass without it, and on the GPUs that have it.
. "$HEDDLE_SOURCE/tests/cli/common"

name=$1
description=$(ls "$HEDDLE_SOURCE"/workloads/*/"$name.ini")
source=$(dirname "$description")
source=$source/$(basename "$source").cu
is_dynamic=$(grep -c "^// nvcc: -rdc=true" "$source" || true)
need_cc
find_runner

passes() {  # ARGUMENTS of heddle run
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --quiet "$@"
  [ "$(tail -n 1 <<<"$out")" = PASSED ] || fail "$*: no PASSED at the end of"$'\n'"$out"
}

passes "$name" --size tiny --gpu gtx480
passes "$name" --size tiny --gpu k40 --functional --check races:warp=on

# However CTAs are dispatched, and whatever stands before a cluster's network.
for scheme in "two_level_rr + cc" global_rr greedy_cluster "distributed + icc" block \
  "distributed_block + icc_cc"; do
  passes "$name" --size tiny --gpu clustered60 --scheme "gto + $scheme"
done

# Another seed is another input, and right all the same. So are other ways to do it, which
# the program names.
passes "$name" --size tiny --gpu gtx480 --functional --check races:warp=on -- --seed 7
while read -r options; do
  passes "$name" --size tiny --gpu gtx480 -- $options
  passes "$name" --size tiny --gpu k40 --functional --check races:warp=on -- $options --seed 7
done < <(sed -n "s|^// test: ||p" "$source")
while read -r gpu options; do
  passes "$name" --size tiny --gpu "$gpu" -- $options
  passes "$name" --size tiny --gpu "$gpu" --functional --check races:warp=on -- $options --seed 7
done < <(sed -n "s|^// test \([a-z0-9]*\): |\1 |p" "$source")

if [ "$is_dynamic" != 0 ]; then
  for gpu in laser13 k40 v100; do passes "$name" --size tiny --gpu $gpu; done
  passes "$name" --size tiny --gpu laser13 -- --one-stream
  passes "$name" --size tiny --gpu laser13 --json "$scratch/with.json"
  grep -q '"parent":' "$scratch/with.json" || fail "no kernel launched another"
  passes "$name" --size tiny --gpu laser13 --json "$scratch/flat.json" -- --flat
  ! grep -q '"parent":' "$scratch/flat.json" || fail "a kernel launched another in spite of --flat"
  # Launches beyond the limit are refused, and their work is done all the same.
  passes "$name" --size tiny --gpu laser13 --set gpu.pending_launches=3
fi

find_nvcc || exit 0
"$nvcc" -cudart shared -arch=compute_75 $(sed -n "s|^// nvcc: ||p" "$source") \
  -I "$HEDDLE_SOURCE/workloads" -o "$scratch/program" "$source" >"$scratch/log" 2>&1 ||
  fail "nvcc: $(cat "$scratch/log")"
arguments=$(sed -n "s|^arguments = ||p" "$description")
passes --gpu gtx480 --functional -- "$scratch/program" $arguments --size tiny
[ "$is_dynamic" = 0 ] || passes --gpu laser13 -- "$scratch/program" $arguments --size tiny
