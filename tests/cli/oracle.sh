# SPDX-License-Identifier: MIT
# A run is recorded (--observe load_trace) and read by the prefetcher that knows the
# future: every load is found again, what is fetched for groups is used, sums are the same.
. "$HEDDLE_SOURCE/tests/cli/common"

case=$(ls "$cases"/spmv*.case | head -1)
trace=$scratch/run.loads
value() { sed -n "s/^ *\"$1\": \([0-9]*\).*/\1/p" <<<"$out" | tail -1; }
sum() { sed -n '/"sums"/,/}/p' <<<"$out"; }

expect_exit 0 "$HEDDLE" run "$case" --gpu apres15 --scheme laws --json -
plain_cycles=$(value cycles) plain_sum=$(sum)
expect_exit 0 "$HEDDLE" run "$case" --gpu apres15 --scheme laws --observe "load_trace:file=$trace" --json -
[ "$(value cycles)" = "$plain_cycles" ] || fail "recording has changed the cycles"
expect_text "$out" '"load_trace"'
[ -s "$trace" ] || fail "there is no trace"

for who in group self; do
  expect_exit 0 "$HEDDLE" run "$case" --gpu apres15 --scheme laws \
    --set "policy.prefetch=oracle:file=$trace,target=$who" --json -
  [ "$(sum)" = "$plain_sum" ] || fail "target=$who has changed a sum"
  [ "$(value prefetch.oracle.lost)" = 0 ] || fail "target=$who: loads were not in the recording"
  [ "$(value prefetch.oracle.found)" -gt 0 ] || fail "target=$who: nothing was found"
  used=$(($(value prefetch.used) + $(value prefetch.late))) sent=$(value prefetch.fetches)
  [ "$sent" -gt 0 ] || fail "target=$who: nothing was fetched"
  # A warp's own future is asked for load by load to its end, all but its first load.
  asked=$(value prefetch.candidates) found=$(value prefetch.oracle.found)
  [ "$who" = group ] || [ $((asked * 10)) -ge $((found * 9)) ] || fail "$asked of $found were asked for"
  # Loads ahead may be too far ahead for the L1D; what is fetched for a group is used.
  [ "$who" = self ] || [ $((used * 10)) -ge $((sent * 9)) ] || fail "$used of $sent were used"
done
# Without a file it fetches nothing.
expect_exit 0 "$HEDDLE" run "$case" --gpu apres15 --scheme "laws + oracle" --json -
[ "$(value cycles)" = "$plain_cycles" ] || fail "an oracle without a trace has changed the cycles"

# What is no trace is refused, and said.
oracle() { expect_exit 2 "$HEDDLE" run "$case" --gpu apres15 --set "policy.prefetch=oracle:file=$1"; }
oracle "$scratch/none"
expect_text "$err" "cannot open"
oracle "$scratch"
expect_text "$err" "not a load trace"
echo "some text that is longer than the header of a trace" >"$scratch/text"
oracle "$scratch/text"
expect_text "$err" "not a load trace"
head -c $(($(wc -c <"$trace") - 8)) "$trace" >"$scratch/short"
oracle "$scratch/short"
expect_text "$err" "corrupt load trace: wrong size"
cp "$trace" "$scratch/wild"
printf '\377\377\377\377\377\377\377\177' | dd of="$scratch/wild" bs=1 seek=48 conv=notrunc 2>/dev/null
oracle "$scratch/wild"
expect_text "$err" "corrupt load trace: loads of a warp are missing"
expect_exit 2 "$HEDDLE" run "$case" --observe "load_trace:file=$scratch/no/such/folder/file"
