# SPDX-License-Identifier: MIT
# heddle cluster: programs that nobody wrote for it do the same work afterwards, on GPUs
# that number agents by warp slot (gtx570) and by counting (gtx980).
. "$HEDDLE_SOURCE/tests/cli/common"

[ -e "$(dirname "$HEDDLE")/libheddle_cluster.so" ] || skip "heddle was built without libclang"
find_runner
programs=$HEDDLE_SOURCE/tests/cluster

"$HEDDLE" cc -O1 -std=c++11 -Wall -Wextra -Xcompiler -Werror "$programs/mapping/mapping.cu" -o "$scratch/mapping"
expect_exit 0 "${runner[@]}" "$scratch/mapping"
expect_text "$out" PASSED

# Prefetching everywhere, so that it is tried on all of them.
count=0
for source in "$programs"/*.cu; do
  name=$(basename "$source" .cu)
  expect_exit 0 "$HEDDLE" cluster "$source" --prefetch -o "$scratch/$name.cu" -- -I "$programs"
  expect_exit 0 "$HEDDLE" cc -O1 -Wall -Wextra -Wno-sign-compare -Xcompiler -Werror -I "$programs" \
    "$scratch/$name.cu" -o "$scratch/$name"
  for gpu in gtx570 gtx980; do
    expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu $gpu -- "$scratch/$name"
    expect_text "$out" PASSED
  done
  count=$((count + 1))
done
[ $count -ge 22 ] || fail "only $count programs"

# Sources that are compiled apart and launch each other's kernels.
mkdir "$scratch/several"
expect_exit 0 "$HEDDLE" cluster "$programs"/several/{first,second}.cu -o "$scratch/several"
expect_exit 0 "$HEDDLE" cc -O1 -I "$programs/several" "$scratch"/several/{first,second}.cu -o "$scratch/several/program"
for gpu in gtx570 gtx980; do
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu $gpu -- "$scratch/several/program"
  expect_text "$out" PASSED
done

# An SM gets fewer agents than expected, or more, or in another order.
for gpu in k40 gtx1080; do
  for policies in "random_wave fixed:ctas=1" "greedy_cluster all" "on_demand fixed:ctas=3"; do
    expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu $gpu --set policy.cta_dispatch="${policies% *}" \
      --set policy.throttle="${policies#* }" -- "$scratch/grids"
    expect_text "$out" PASSED
  done
done
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- "$scratch/grids"
expect_text "$out" PASSED
