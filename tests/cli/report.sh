# SPDX-License-Identifier: MIT
# What a run with timing tells: the keys that other tools rely on, the tables,
# one name for everything in `heddle list stats`, and the table for people.
. "$HEDDLE_SOURCE/tests/cli/common"

vecadd=$cases/vecadd_20k.case
counters="cycles warp_instructions thread_instructions l1d.accesses l1d.hits l1d.merges l1d.misses
l2.accesses l2.misses dram.reads dram.writes noc.request_packets noc.reply_packets"

# ---- JSON

expect_exit 0 "$HEDDLE" run "$vecadd" --gpu gtx480 --scheme gto --json - --observe all \
  --interval 500 --per-sm
json=$out
for key in gpu scheme wall_seconds cpu_seconds sums total kernels complete config; do
  grep -q "^  \"$key\":" <<<"$json" || fail "no $key at the top"
done
expect_text "$json" '"scheme": "gto"'
section() {  # NAME: the lines of a value at the top
  awk -v name="  \"$1\":" 'index($0, name) == 1 { on = 1 } on { print } on && /^  [}\]],?$/ { exit }' <<<"$json"
}
for key in $counters; do
  grep -q "^    \"$key\": [0-9]*,*$" <<<"$(section total)" || fail "no $key in total"
  grep -q "^      \"$key\": [0-9]*,*$" <<<"$(section kernels)" || fail "no $key in kernels"
done
for table in sms accesses load_latency cta_rows intervals; do
  grep -q "^      \"$table\": \[" <<<"$(section kernels)" || fail "no table $table"
done
for table in sms accesses load_latency; do
  grep -q "^    \"$table\": \[" <<<"$(section total)" || fail "no table $table in total"
done
[ "$(grep -c '"cta":' <<<"$json")" = 320 ] || fail "not a row for each CTA"
[ "$(section total | sed -n '/^    "sms": \[/,/^    \]/p' | grep -c '"sm":')" = 15 ] || fail "not a row for each SM"
# The map of CTAs has them all, and ends with the run.
map=$(section total | sed -n '/^    "cta_map": \[/,/^    \]/p')
[ $(($(grep -c '"sm":' <<<"$map") % 15)) = 0 ] || fail "SMs without a map of their CTAs"

# Observers change nothing: without their tables and counters the results are the same.
expect_exit 0 "$HEDDLE" run "$vecadd" --json - --observe none
bare() { grep -E "^ {4,6}\"[a-z0-9_.]*\": [0-9.]*,?$" | grep -v 'seconds\|"observer' | tr -d ,; }
diff <(bare <<<"$json") <(bare <<<"$out") >"$scratch/diff" || fail "observed: $(head "$scratch/diff")"
case $out in *'"accesses": ['*) fail "a table although --observe none" ;; esac
expect_exit 0 "$HEDDLE" run "$vecadd" --json -
expect_text "$out" '"accesses": ['

# Everything that is written has its name in the listing.
expect_exit 0 "$HEDDLE" list stats
listed=$out
section total | sed -n 's/^    "\([a-z0-9_.]*\)": [0-9n].*/\1/p' >"$scratch/names"
[ "$(wc -l <"$scratch/names")" -gt 100 ] || fail "few statistics: $(cat "$scratch/names")"
while read -r name; do
  grep -q "^total\.$name " <<<"$listed" || fail "$name is not listed"
done <"$scratch/names"
for column in accesses[j].misses sms[j].l1d.hits cta_rows[j].start_cycle intervals[j].dram_reads \
  load_latency[j].merge accesses[j].source; do
  expect_text "$listed" "kernels[i].$column"
done
expect_exit 0 "$HEDDLE" list observers
expect_text "$out" "bin_cycles"

# ---- the table

expect_exit 0 "$HEDDLE" run "$vecadd"
for part in "vecadd_20k.case on gtx480 (15 SMs), timing, scheme" "vecadd  grid 320, block 64, 12 registers" \
  "cycles " " MHz)" "IPC " "33.3 % theoretical (8 CTAs, 16 of 48 warps per SM)" "% achieved" "L1D " "L2 " \
  "% row hits" "GB/s" "issue slots" "most expensive accesses" "global load" "global store" "PTX line" "-lineinfo" "sum C = 209848320"; do
  expect_text "$out" "$part"
done
case $out in *$'\033'*) fail "colours where no terminal is" ;; esac
# The reasons sum to 100, as far as one decimal can tell.
sed -n '/issue slots/,/^$/p' <<<"$out" | grep -o '[0-9.]* %' |
  awk '{ sum += $1 } END { exit !(sum > 99.6 && sum < 100.4) }' || fail "slots do not sum to 100: $out"

# Many launches: a line each, then all together.
{
  echo "ptx $HEDDLE_SOURCE/tests/reference/ref.ptx"
  echo 'alloc O 368640'
  for i in 1 2 3 4 5 6; do echo "launch fma_chain $i 1 1 64 1 1 \$O f:0.5 i:$i"; done
} >"$scratch/many.case"
expect_exit 0 "$HEDDLE" run "$scratch/many.case"
[ "$(grep -c '^  fma_chain' <<<"$out")" = 6 ] || fail "not a line for each launch: $out"
expect_text "$out" "all 6 launches"

# ---- mistakes

expect_exit 2 "$HEDDLE" run "$vecadd" --observe acesses
expect_text "$err" "accesses"
[ -z "$out" ] || fail "a run that never began printed $out"
expect_exit 2 "$HEDDLE" run "$vecadd" --observe latency:bin_cycle=8
expect_text "$err" "bin_cycles"
expect_exit 2 "$HEDDLE" run "$vecadd" --interval 0
expect_exit 2 "$HEDDLE" run "$vecadd" --interval -5
expect_exit 2 "$HEDDLE" run "$vecadd" --functional --observe accesses
expect_text "$err" "timing"
