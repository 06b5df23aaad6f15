# SPDX-License-Identifier: MIT
# Every reference case gives the expected sum: integers exactly, floats to 1e-5.
# A second run gives the same results to the last digit.
. "$HEDDLE_SOURCE/tests/cli/common"

# In expected.tsv these two sums are of elements that were rounded to float
# before they were added (tests/reference/README.md); here are the exact ones.
declare -A exact=([imul_chain_1warp]=1.08597089e+10 [imul_chain_full]=-9.08741837e+11)

checked=0
for file in "$cases"/*.case; do
  name=$(basename "$file" .case)
  expected=$(awk -F'\t' -v name="$name" '$1 == name { print $NF; exit }' "$HEDDLE_SOURCE/tests/reference/expected.tsv")
  [ -n "$expected" ] || fail "$name is not in expected.tsv"
  expected=${exact[$name]:-$expected}
  expect_exit 0 "$HEDDLE" run "$file" --functional --json "$scratch/first.json"
  "$HEDDLE" run "$file" --functional --quiet --json "$scratch/second.json"
  diff <(grep -v seconds "$scratch/first.json") <(grep -v seconds "$scratch/second.json") ||
    fail "$name: two runs differ"
  sum=$(sed -n 's/^  sum [^ ]* = //p' <<<"$out" | tail -n 1)
  same_sum "$name" "$sum" "$expected"
  checked=$((checked + 1))
done
[ $checked -ge 23 ] || fail "only $checked cases were found"
