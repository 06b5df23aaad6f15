# SPDX-License-Identifier: MIT
# Idealised machines compute the same and are not slower: some pairs of a workload and an
# idealisation. tests/explain/ideals without --pairs runs them all.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
"$HEDDLE_SOURCE/tests/explain/ideals" --pairs 5 >"$scratch/found" || fail "$(cat "$scratch/found")"
expect_text "$(cat "$scratch/found")" "5 pairs: "
expect_text "$(cat "$scratch/found")" ", 0 in the mean of nine seeds; 0 with other results, 0 failed"
