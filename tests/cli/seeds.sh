# SPDX-License-Identifier: MIT
# Seeds of compare and study: the runs that they make, the intervals that they report, and seed 0.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"
cp "$HEDDLE_SOURCE/tests/reference/ref.ptx" .
sed "s|^ptx .*|ptx ref.ptx|" "$cases/vecadd_20k.case" >vecadd_20k.case

ask() {  # DB SQL
  "$HEDDLE" query "$1" --csv "$2" | tail -n +2
}

# Three seeds of two schemes are six runs; seed 0 is the run without seeds.
expect_exit 0 "$HEDDLE" compare vecadd_20k.case --schemes lrr,gto --seeds 3 --db a.db --report a.json
expect_text "$err" "6/6 "
expect_text "$out" "± 95 % confidence over 3 seeds; ~ within it of the baseline"
table=$out
expect_exit 0 "$HEDDLE" run vecadd_20k.case --scheme gto --db b.db
[ "$(ask a.db "select cycles from results where scheme = 'gto' and settings = 'run.seed=0'")" = "$(ask b.db "select cycles from results")" ] ||
  fail "seed 0: $(ask a.db "select scheme, settings, cycles from results") $(ask b.db "select cycles from results")"
[ "$(ask a.db "select count(distinct cycles) > 1 from results where scheme = 'gto'")" = 1 ] || fail "seeds change nothing"
grep -q '"seeds":3' a.json && grep -q '"interval":\[\[' a.json || fail "the report has no intervals"

# The mean that is printed is the mean of the ratios.
mean=$(ask a.db "select printf('%.3f', avg(1.0 * l.cycles / g.cycles)) from results as l join results as g on l.settings = g.settings where l.scheme = 'lrr' and g.scheme = 'gto'")
expect_text "$(grep gto <<<"$table" | head -1)" "$mean"

# Again: nothing is run. One seed more: two runs.
expect_exit 0 "$HEDDLE" compare vecadd_20k.case --schemes lrr,gto --seeds 4 --db a.db
expect_text "$err" "6 of 8 runs already in the store"

# A study has them in its file; the option replaces their number. CSV has the interval.
cat >mine.ini <<'END'
[study]
workloads = vecadd
gpus = gtx480
schemes = lrr, gto
seeds = 3
[workload vecadd]
is = vecadd_20k.case
[figure time]
title = Speed-up
as = speedup
baseline = lrr
END
expect_exit 0 "$HEDDLE" study mine.ini --db a.db
expect_text "$out" "over 3 seeds"
expect_exit 0 "$HEDDLE" study mine.ini --seeds 2 --db a.db
expect_text "$out" "over 2 seeds"
expect_exit 0 "$HEDDLE" figure a.db time --study mine -o time.csv
head -1 time.csv | grep -q "measured,interval,paper" || fail "columns: $(head -1 time.csv)"
expect_exit 0 "$HEDDLE" study mine.ini --db a.db --markdown -
expect_text "$out" "Means of 2 seeds ± 95 % confidence."
grep -Eq '\| gto [0-9.]+ ± [0-9.]+ \|$' <<<"$out" || fail "no interval: $out"
expect_exit 0 "$HEDDLE" study mine.ini --seeds 1 --db a.db
[[ $out != *±* ]] || fail "an interval of one seed: $out"

# Mistakes.
expect_exit 2 "$HEDDLE" compare vecadd_20k.case --seeds 0
expect_text "$err" "--seeds: seeds: expected a number from 1 to 100"
expect_exit 2 "$HEDDLE" study mine.ini --seeds '2
[gpu x]'
expect_text "$err" "--seeds: expected a number"
