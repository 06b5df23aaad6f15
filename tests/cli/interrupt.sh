# SPDX-License-Identifier: MIT
# Ctrl-C and kill stop a run that would last for hours, cleanly and with its results.
. "$HEDDLE_SOURCE/tests/cli/common"

write_long_case

stopped_by() {  # SIGNAL EXIT-CODE
  "$HEDDLE" run "$scratch/long.case" --functional --quiet --json "$scratch/long.json" 2>"$scratch/err" &
  local run=$! code=0
  wait_for_cpu $run 50  # by then it is in the long launch
  kill -"$1" $run
  kill -"$1" $run 2>/dev/null || true  # timeout sends its signal twice
  wait $run || code=$?
  [ $code = "$2" ] || fail "exit code $code instead of $2 after SIG$1: $(cat "$scratch/err")"
}

stopped_by TERM 1
expect_text "$(cat "$scratch/err")" "long.case:4: "
expect_text "$(cat "$scratch/long.json")" '"complete": false'
[ "$(grep -c '"name": "fma_chain"' "$scratch/long.json")" = 2 ] || fail "the finished launch is missing"

stopped_by ABRT 3  # what a failed assert sends

# So does the functional pass of a sampled run, from which hours of timing would be planned.
sed '/^launch fma_chain 360/s/360/65536/; s/368640/67108864/' "$scratch/long.case" >"$scratch/wide.case"
env --ignore-signal=INT "$HEDDLE" run "$scratch/wide.case" --gpu tiny --quiet --sample error=3%,after=0 --json "$scratch/wide.json" 2>"$scratch/err" &
run=$! code=0
wait_for_cpu $run 50
kill -INT $run
wait $run || code=$?
[ $code = 1 ] || fail "exit code $code of a sampled run: $(cat "$scratch/err")"
expect_text "$(cat "$scratch/wide.json")" '"complete": false'
