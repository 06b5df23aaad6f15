# SPDX-License-Identifier: MIT
# What clang makes of the reference kernels at every level and for two targets
# parses, and gives the same sums as the PTX that is kept here. So does C++ with
# classes, recursion and pointers to functions.
. "$HEDDLE_SOURCE/tests/cli/common"

command -v clang >/dev/null || skip "clang not found"

reference=$HEDDLE_SOURCE/tests/reference
copy_reference

mkdir "$scratch/kernels"
for target in sm_35 sm_70; do
  for level in 0 1 2 3; do
    "$HEDDLE_SOURCE/tests/kernels/cu/compile" "$scratch/kernels/classes_${target}_$level.ptx" \
      clang -x cuda --cuda-device-only --cuda-gpu-arch=$target -nocudainc -nocudalib -O$level -S \
      "$HEDDLE_SOURCE/tests/kernels/cu/classes.cu" 2>"$scratch/clang.log" ||
      fail "clang -O$level for $target: $(cat "$scratch/clang.log")"
    clang -x cuda --cuda-device-only --cuda-gpu-arch=$target -nocudainc -nocudalib -O$level -S \
      "$reference/ref.cu" -o "$scratch/ref.ptx" 2>"$scratch/clang.log" ||
      fail "clang -O$level for $target: $(cat "$scratch/clang.log")"
    for name in $names; do
      expect_exit 0 "$HEDDLE" run "$scratch/cases/$name.case" --functional
      same_sum "$name" "$(sum_of <<<"$out")" "$(cat "$scratch/$name.sum")"
    done
  done
done
expect_exit 0 "$(dirname "$HEDDLE")/tests/kernels_test" "$scratch/kernels"
