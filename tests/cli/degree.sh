# SPDX-License-Identifier: MIT
# The throttle that samples a CTA explains its decisions: as text, as JSON and in
# a store. Kernels that it leaves alone and wrong parameters are named.
. "$HEDDLE_SOURCE/tests/cli/common"

run=("$HEDDLE" run "$cases/vecadd_20k.case" --gpu tiny --set l2.enabled=false)
expect_exit 0 "${run[@]}" --scheme "gto + sampled" --json "$scratch/json" --db "$scratch/db"
expect_text "$out" "CTAs per SM: the sampled CTA"
expect_text "$out" "predictions per number of CTAs per SM"
expect_text "$out" "pipeline_growth"

value() {  # JSON-KEY: of the only row that has it
  sed -n "s/^.*\"$1\": \([^,]*\),*\$/\1/p" "$scratch/json" | head -1
}
[ "$(value outcome)" = '"sampled"' ] || fail "outcome: $(value outcome)"
expect_exit 0 "$HEDDLE" query "$scratch/db" \
  "select outcome, dram_reads, miss_rate > 0, degree, most from degree_decision"
expect_text "$out" "sampled"
degree=$("$HEDDLE" query "$scratch/db" "select degree from degree_predictions where is_chosen" | tail -1)
chosen=$("$HEDDLE" query "$scratch/db" "select degree from degree_decision" | tail -1)
[ "$degree" = "$chosen" ] || fail "chosen: $degree and $chosen"
rows=$("$HEDDLE" query "$scratch/db" "select count(*) from degree_predictions" | tail -1)
most=$("$HEDDLE" query "$scratch/db" "select most from degree_decision" | tail -1)
[ "$rows" = "$most" ] || fail "$rows predictions for $most degrees"

# Many launches: a line each, under the names of the columns.
{
  printf 'ptx %s/tests/reference/ref.ptx\nalloc C 8192\nalloc A 8192\nfill A i32 iota\n' "$HEDDLE_SOURCE"
  for i in 1 2 3 4 5 6; do echo 'launch vecadd 32 1 1 64 1 1 $C $A $A'; done
  echo 'sum C i32'
} >"$scratch/six.case"
expect_exit 0 "$HEDDLE" run "$scratch/six.case" --gpu tiny --scheme "gto + sampled"
[ "$(grep -c '^  vecadd  sampled ' <<<"$out")" = 6 ] || fail "not a line for each of six launches:"$'\n'"$out"
grep -q '^  kernel  outcome  *degree  *most' <<<"$out" || fail "no headings:"$'\n'"$out"

# One CTA: nothing to sample.
expect_exit 0 "$HEDDLE" run "$cases/chase_l1.case" --gpu tiny --scheme sampled
expect_text "$out" "too few CTAs to be sampled"

# The thresholds are parameters; wrong ones are refused.
expect_exit 0 "${run[@]}" --scheme "sampled:memory_bound=100" --json "$scratch/json"
[ "$(value is_memory_bound)" = 0 ] || fail "memory bound: $(value is_memory_bound)"
expect_exit 2 "${run[@]}" --scheme sampled:sm=2
expect_text "$err" "sm = 2: the GPU has SMs 0 to 1"
expect_exit 2 "${run[@]}" --scheme sampled:miss_low=2
expect_text "$err" "miss_low"
expect_exit 2 "${run[@]}" --scheme dyncta:t_mem_low=1000
expect_text "$err" "must be at most t_mem_high"
expect_exit 0 "$HEDDLE" list stats
expect_text "$out" "kernels[i].degree_predictions[j].dram_growth"

# The same decisions on several threads, and cycle by cycle.
on() {  # OPTION...: what was decided and how long it took
  expect_exit 0 "${run[@]}" --set gpu.sm_count=4 --scheme "gto + sampled" --json "$scratch/json" "$@"
  grep -v '_seconds"' "$scratch/json"
}
alone=$(on)
grep -q '"outcome": "sampled"' <<<"$alone" || fail "four SMs: not sampled"
[ "$(on --threads 3)" = "$alone" ] || fail "three threads decide otherwise"
[ "$(on --no-skip)" = "$alone" ] || fail "cycle by cycle decides otherwise"

# Time of a CTA by degree, predicted and measured, in one figure.
cat >"$scratch/predicted.ini" <<END
[study]
workloads = vecadd
gpus = tiny
schemes = measured, predicted
sweep = throttle.ctas = 1, 2
set = l2.enabled=false
[workload vecadd]
is = $cases/vecadd_20k.case
[scheme measured]
is = gto + fixed
[scheme predicted]
is = gto + sampled
[figure time]
statistic = policies.throttle.sampled.cta_time | sm.cta_time
rows = throttle.ctas
columns = scheme
mean = none
END
expect_exit 0 "$HEDDLE" study "$scratch/predicted.ini" --db "$scratch/study.db" --quiet
expect_exit 0 "$HEDDLE" figure "$scratch/study.db" time -o "$scratch/time.csv"
time_at() { awk -F, -v at="$1" -v scheme="$2" '$1 == at && $2 == scheme {print $5}' "$scratch/time.csv"; }
[ -n "$(time_at 1 measured)" ] && [ -n "$(time_at 2 measured)" ] || fail "no time was measured"
# The working set fits, so the pipeline effect is 1.05; latency grows by 1.03 or 1.1.
awk -v one="$(time_at 1 predicted)" -v two="$(time_at 2 predicted)" \
  'BEGIN {exit !(one > 0 && two / one > 1.0814 && two / one < 1.1551)}' ||
  fail "predicted: $(time_at 1 predicted) and $(time_at 2 predicted)"
