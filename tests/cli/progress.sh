# SPDX-License-Identifier: MIT
# The progress line: on a terminal, never elsewhere, and gone at the end. A run
# with timing that is stopped, by Ctrl-C or a limit, still tells what it has.
. "$HEDDLE_SOURCE/tests/cli/common"

write_long_case

# ---- Ctrl-C in the middle of a launch

interrupted() {  # SIGNAL OPTION...
  local signal=$1 code=0
  shift
  "$HEDDLE" run "$scratch/long.case" --quiet --json "$scratch/long.json" "$@" 2>"$scratch/err" &
  local run=$!
  wait_for_cpu $run 50
  kill -"$signal" $run
  wait $run || code=$?
  [ $code = 1 ] || fail "exit code $code after SIG$signal: $(cat "$scratch/err")"
}

interrupted TERM --observe all --interval 1000
expect_text "$(cat "$scratch/err")" "long.case:4: stopped at cycle "
[ "$(grep -c . "$scratch/err")" = 1 ] || fail "more than the message: $(cat "$scratch/err")"
json=$(cat "$scratch/long.json")
expect_text "$json" '"complete": false'
expect_text "$json" '"complete": true'  # of the first launch
[ "$(grep -c '"name": "fma_chain"' <<<"$json")" = 2 ] || fail "a launch is missing"
expect_text "$json" '"intervals"'

# ---- limits

expect_exit 1 "$HEDDLE" run "$cases/vecadd_20k.case" --max-cycles 1500
expect_text "$out" "INCOMPLETE"
expect_text "$out" "1,500"
expect_text "$err" "stopped after 1500 cycles"
expect_exit 1 "$HEDDLE" run "$cases/vecadd_20k.case" --max-cycles=1500 --json - --no-skip
expect_text "$out" '"complete": false'
expect_text "$out" '"cycles": 1500'
expect_exit 2 "$HEDDLE" run "$cases/vecadd_20k.case" --max-cycles=many
expect_text "$err" "--max-cycles"

# ---- the line

slow=(run "$cases/mm_tiled_192.case" --quiet --set partition.dram_latency_cycles=2000)
expect_exit 0 "$HEDDLE" "${slow[@]}"
[ -z "$err" ] || fail "progress without a terminal: $err"

# Runs the long case on a terminal until the line was updated twice, and stops it: a busy host may
# need more than the first seconds. Leaves the lines in $scratch/lines.
updates_of() {  # PATTERN MOST-PER-SECOND OPTION...
  local pattern=$1 most=$2 seconds updates
  shift 2
  for seconds in 3 20; do
    script -qec "timeout -s INT $seconds '$HEDDLE' run '$scratch/long.case' --quiet $*" /dev/null \
      >"$scratch/terminal" 2>&1 </dev/null || true
    tr '\r' '\n' <"$scratch/terminal" >"$scratch/lines"
    updates=$(grep -c "$pattern" "$scratch/lines") || true
    [ "$updates" -lt 2 ] || break
  done
  [ "$updates" -ge 2 ] && [ "$updates" -le $((most * seconds)) ] ||
    fail "$updates updates in $seconds seconds: $(cat -v "$scratch/lines")"
}

if script -qec true /dev/null >/dev/null 2>&1; then
  updates_of 'fma_chain: .* cycles, .*/s; .* instr\., .*/s; 0/360 CTAs' 7
  expect_text "$(tail -n 2 "$scratch/lines")" "stopped at cycle"
  longest=$(sed 's/\x1b\[K//g' "$scratch/lines" | grep fma_chain: | awk '{ if (length > m) m = length } END { print m }')
  [ "$longest" -le 80 ] || fail "a line of $longest characters"

  # Without time there are no cycles to report.
  updates_of 'fma_chain: [^;]* instr\., .*/s; 0/360 CTAs' 10 --functional
else
  echo "no pseudo-terminal here: the line itself was not tried"
fi
