# SPDX-License-Identifier: MIT
# Ctrl-C stops a run that would last for hours, cleanly and with its results.
. "$HEDDLE_SOURCE/tests/cli/common"

write_long_case

stopped_by() {  # SIGNAL EXIT-CODE
  "$HEDDLE" run "$scratch/long.case" --functional --quiet --json "$scratch/long.json" 2>"$scratch/err" &
  local run=$! code=0
  wait_for_cpu $run 50  # by then it is in the long launch
  kill -"$1" $run
  wait $run || code=$?
  [ $code = "$2" ] || fail "exit code $code instead of $2 after SIG$1: $(cat "$scratch/err")"
}

stopped_by TERM 1
expect_text "$(cat "$scratch/err")" "long.case:4: "
expect_text "$(cat "$scratch/long.json")" '"complete": false'
[ "$(grep -c '"name": "fma_chain"' "$scratch/long.json")" = 2 ] || fail "the finished launch is missing"

stopped_by ABRT 3  # what a failed assert sends
