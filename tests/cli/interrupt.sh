# SPDX-License-Identifier: MIT
# Ctrl-C stops a run that would last for hours, cleanly and with its results.
. "$HEDDLE_SOURCE/tests/cli/common"

cat >"$scratch/long.case" <<END
ptx $HEDDLE_SOURCE/tests/reference/ref.ptx
alloc O 368640
launch fma_chain 360 1 1 256 1 1 \$O f:0.5 i:64
launch fma_chain 360 1 1 256 1 1 \$O f:0.5 i:2000000000
END

stopped_by() {  # SIGNAL
  "$HEDDLE" run "$scratch/long.case" --functional --quiet --json "$scratch/long.json" 2>"$scratch/err" &
  local run=$! code=0
  sleep 1
  kill -"$1" $run
  wait $run || code=$?
  [ $code = "$2" ] || fail "exit code $code instead of $2 after SIG$1: $(cat "$scratch/err")"
}

stopped_by TERM 1
expect_text "$(cat "$scratch/err")" "long.case:4: "
expect_text "$(cat "$scratch/long.json")" '"complete": false'
[ "$(grep -c '"name": "fma_chain"' "$scratch/long.json")" = 2 ] || fail "the finished launch is missing"

stopped_by ABRT 3  # what a failed assert sends
