# SPDX-License-Identifier: MIT
# What clang makes of the reference kernels at every level and for two targets
# parses, and gives the same sums as the PTX that is kept here.
. "$HEDDLE_SOURCE/tests/cli/common"

if ! command -v clang >/dev/null; then
  echo "no clang here: nothing to compile with"
  exit 0
fi

reference=$HEDDLE_SOURCE/tests/reference
names=$(cd "$cases" && ls -- *.case | sed 's/\.case$//')

sum_of() { sed -n 's/^  sum [^ ]* = //p' | tail -n 1; }

mkdir -p "$scratch/cases"
ln -s "$reference/data" "$scratch/data"
for name in $names; do
  cp "$cases/$name.case" "$scratch/cases"
  "$HEDDLE" run "$cases/$name.case" --functional | sum_of >"$scratch/$name.sum"
done

for target in sm_35 sm_70; do
  for level in 0 1 2 3; do
    clang -x cuda --cuda-device-only --cuda-gpu-arch=$target -nocudainc -nocudalib -O$level -S \
      "$reference/ref.cu" -o "$scratch/ref.ptx" 2>"$scratch/clang.log" ||
      fail "clang -O$level for $target: $(cat "$scratch/clang.log")"
    for name in $names; do
      expect_exit 0 "$HEDDLE" run "$scratch/cases/$name.case" --functional
      same_sum "$name" "$(sum_of <<<"$out")" "$(cat "$scratch/$name.sum")"
    done
  done
done
