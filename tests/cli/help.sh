# SPDX-License-Identifier: MIT
# Help and listings come from the tables, and every verb has its page.
. "$HEDDLE_SOURCE/tests/cli/common"

expect_exit 0 "$HEDDLE" --version
expect_text "$out" "heddle 0."

expect_exit 0 "$HEDDLE" --help
all=$out
for verb in run list help; do
  expect_text "$all" "  $verb "
  expect_exit 0 "$HEDDLE" help $verb
  page=$out
  expect_text "$page" "usage: heddle $verb"
  expect_exit 0 "$HEDDLE" $verb --help
  [ "$out" = "$page" ] || fail "help $verb and $verb --help differ"
done

expect_exit 0 "$HEDDLE" list gpus
for config in "$HEDDLE_SOURCE"/configs/*.cfg; do
  expect_text "$out" "$(basename "$config" .cfg) "
done
expect_exit 0 "$HEDDLE" list params
expect_text "$(echo "$out" | tr -s " ")" "sm.max_warps 48 "
expect_exit 0 "$HEDDLE" list params --gpu tiny
expect_text "$(echo "$out" | tr -s " ")" "sm.max_warps 8 "
expect_exit 0 "$HEDDLE" list stats
expect_text "$out" "total.warp_instructions"
expect_exit 0 "$HEDDLE" list policies
expect_text "$out" "gto"
