# SPDX-License-Identifier: MIT
# Ctrl-C stops a run that would last for hours, cleanly and with its results.
. "$HEDDLE_SOURCE/tests/cli/common"

write_long_case

# Waits until the process has used half a second of CPU time: by then it is in
# the long launch, however slow the machine. A process that ends early is gone.
wait_until_busy() {  # PID
  local ticks=0
  while [ "$ticks" -lt 50 ]; do
    sleep 0.05
    ticks=$(awk '{ print $14 + $15 }' "/proc/$1/stat" 2>/dev/null) || fail "the run ended by itself"
  done
}

stopped_by() {  # SIGNAL EXIT-CODE
  "$HEDDLE" run "$scratch/long.case" --functional --quiet --json "$scratch/long.json" 2>"$scratch/err" &
  local run=$! code=0
  wait_until_busy $run
  kill -"$1" $run
  wait $run || code=$?
  [ $code = "$2" ] || fail "exit code $code instead of $2 after SIG$1: $(cat "$scratch/err")"
}

stopped_by TERM 1
expect_text "$(cat "$scratch/err")" "long.case:4: "
expect_text "$(cat "$scratch/long.json")" '"complete": false'
[ "$(grep -c '"name": "fma_chain"' "$scratch/long.json")" = 2 ] || fail "the finished launch is missing"

stopped_by ABRT 3  # what a failed assert sends
