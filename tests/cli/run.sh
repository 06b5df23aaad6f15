# SPDX-License-Identifier: MIT
# heddle run: table, JSON, overrides, the same result twice, and failures that
# still leave what there was, marked as incomplete.
. "$HEDDLE_SOURCE/tests/cli/common"

vecadd=$cases/vecadd_20k.case
expect_exit 0 "$HEDDLE" run "$vecadd" --functional
expect_text "$out" "vecadd_20k.case on gtx480 (15 SMs), functional"
expect_text "$out" "sum C = 209848320"
expect_text "$out" "12,160"
case $out in *INCOMPLETE*) fail "a complete run calls itself incomplete" ;; esac

# JSON to a file says what the table says, and has the resolved configuration.
expect_exit 0 "$HEDDLE" run "$vecadd" --functional --quiet --json "$scratch/a.json" --set gpu.sm_count=3
[ -z "$out" ] || fail "--quiet printed '$out'"
for part in '"version": "0.' '"gpu": "gtx480"' '"complete": true' '"sm_count": 3' '"name": "vecadd"' \
  '"warp_instructions": 12160' '"thread_instructions": 389120' '"C": 209848320' '"wall_seconds"'; do
  expect_text "$(cat "$scratch/a.json")" "$part"
done

# Two runs are identical but for the seconds.
expect_exit 0 "$HEDDLE" run "$vecadd" --functional --json - --set gpu.sm_count=3
diff <(grep -v seconds "$scratch/a.json") <(grep -v seconds <<<"$out") || fail "two runs differ"

# A limit stops the run: exit code 1, partial results.
expect_exit 1 "$HEDDLE" run "$vecadd" --functional --json - --set run.max_instructions=1000
expect_text "$out" '"complete": false'
expect_text "$out" '"error": "'
expect_text "$err" "vecadd_20k.case:8: "
expect_exit 1 "$HEDDLE" run "$vecadd" --json - --set run.max_instructions=1000
expect_text "$out" '"complete": false'
expect_text "$err" "vecadd_20k.case:8: stopped after 10"  # at most an instruction a scheduler too many
expect_exit 0 "$HEDDLE" run "$vecadd" --set run.max_instructions=12161

# So does a fault of the simulated program, which is named.
cat >"$scratch/short.case" <<END
ptx $HEDDLE_SOURCE/tests/reference/ref.ptx
alloc C 64
launch vecadd 320 1 1 64 1 1 \$C \$C \$C
END
expect_exit 1 "$HEDDLE" run "$scratch/short.case" --functional
expect_text "$out" "INCOMPLETE"
expect_text "$err" "short.case:3: "
expect_text "$err" "vecadd"

# A buffer larger than the device's memory.
printf 'alloc A 99999999999\n' >"$scratch/large.case"
expect_exit 1 "$HEDDLE" run "$scratch/large.case" --functional
