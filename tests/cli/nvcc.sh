# SPDX-License-Identifier: MIT
# What nvcc makes of the reference kernels, in both dialects, for debugging and
# with line information, gives the same sums; and the CUDA programs of
# tests/kernels/cu meet their expectations.
. "$HEDDLE_SOURCE/tests/cli/common"

find_nvcc || skip "nvcc not found"

reference=$HEDDLE_SOURCE/tests/reference
copy_reference

for options in -arch=compute_75 -arch=compute_100 "-arch=compute_75 -G" "-arch=compute_100 -lineinfo"; do
  "$nvcc" $options -ptx -o "$scratch/ref.ptx" "$reference/ref.cu" >"$scratch/log" 2>&1 ||
    fail "nvcc $options: $(cat "$scratch/log")"
  for name in $names; do
    expect_exit 0 "$HEDDLE" run "$scratch/cases/$name.case" --functional
    same_sum "$name" "$(sum_of <<<"$out")" "$(cat "$scratch/$name.sum")"
  done

  rm -rf "$scratch/kernels"
  mkdir "$scratch/kernels"
  for source in "$HEDDLE_SOURCE"/tests/kernels/cu/*.cu; do
    "$HEDDLE_SOURCE/tests/kernels/cu/compile" "$scratch/kernels/$(basename "$source" .cu).ptx" \
      "$nvcc" $options -ptx "$source" >"$scratch/log" 2>&1 ||
      fail "nvcc $options $source: $(cat "$scratch/log")"
  done
  expect_exit 0 "$(dirname "$HEDDLE")/tests/kernels_test" "$scratch/kernels"
done
