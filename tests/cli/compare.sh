# SPDX-License-Identifier: MIT
# heddle compare and study: what is run and what is not run again, what is
# printed, runs that fail, processes that are killed, studies and their mistakes.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"

ask() {  # DB SQL
  "$HEDDLE" query "$1" --csv "$2" | tail -n +2
}
cp -r "$HEDDLE_SOURCE/tests/reference/ref.ptx" .
for name in vecadd_20k; do sed "s|^ptx .*|ptx ref.ptx|" "$cases/$name.case" >$name.case; done
sed 's/320 1 1/64 1 1/' vecadd_20k.case >small.case
cmp -s small.case vecadd_20k.case && fail "small.case is the same"

# Every combination once; the table has the speed-up that the cycles give.
expect_exit 0 "$HEDDLE" compare vecadd_20k.case small.case --gpu gtx480,tiny --schemes lrr,gto --report a.json
expect_text "$err" "8/8"
[ "$(ask compare.db "select count(*), count(distinct job), min(state) from runs")" = 8,8,complete ] || fail "8 runs"
[ "$(awk '$1 == "vecadd_20k" && $2 == "gtx480" { gsub(",", "", $4); c[$3] = $4; s[$3] = $5 }
  END { printf "%s %d", s["lrr"], s["gto"] == sprintf("%.3f", c["lrr"] / c["gto"]) }' <<<"$out")" = "1.000 1" ] ||
  fail "speed-ups: $out"
expect_text "$out" "Speed-up over lrr, tiny"
grep -q '"format":"heddle-report"' a.json || fail "no report"

# What stalls most is looked for among all reasons, those of policies included: CCWS holds back nearly everything.
sed "s|^ptx .*|ptx ref.ptx|; s|\.\./data|$HEDDLE_SOURCE/tests/reference/data|; s/ 128 1 1 128/ 8 1 1 128/" \
  "$cases/spmv_uni_16k.case" >spmv.case
expect_exit 0 "$HEDDLE" compare spmv.case --gpu tiny --schemes lrr,ccws --db held.db --report held.json
grep -q '^spmv  *tiny  *ccws .*held by the scheduler [5-9][0-9] %' <<<"$out" || fail "held: $out"
read -r held all < <("$HEDDLE" query held.db --csv "select \"sm.slot_held\", \"sm.cycles\" from results where scheme = 'ccws'" | tail -1 | tr , ' ')
[ $((held * 2)) -gt "$all" ] || fail "held $held of $all slots"
grep -q '"sm.slot_held"' held.json || fail "the report's data lack slot_held"

# Again: nothing is run. A scheme more: only its runs. Another program: all.
expect_exit 0 "$HEDDLE" compare vecadd_20k.case small.case --gpu gtx480,tiny --schemes lrr,gto
expect_text "$err" "8 of 8 runs already in the store"
expect_exit 0 "$HEDDLE" compare vecadd_20k.case --gpu tiny --schemes "lrr,gto,two_level:active_warps=2"
expect_text "$err" "2 of 3 runs already in the store"
[ "$(ask compare.db "select count(*) from runs")" = 9 ] || fail "9 runs"
echo "# another text" >>small.case
expect_exit 0 "$HEDDLE" compare small.case --gpu tiny --schemes lrr
expect_text "$err" "1/1 small tiny lrr"

# Runs that fail are told and lose nothing else; a second try runs them again.
printf 'ptx ref.ptx\nalloc C 64\nlaunch vecadd 320 1 1 64 1 1 $C $C $C\n' >bad.case
for i in 1 2; do
  expect_exit 1 "$HEDDLE" compare bad.case vecadd_20k.case --gpu tiny --schemes lrr,gto --db bad.db
  expect_text "$err" "2 of 4 runs failed; the first is bad tiny lrr: "
done
expect_text "$out" "bad         tiny  lrr     FAILED"
expect_text "$out" "geometric mean (1 of 2)  1.000"
expect_text "$out" "geometric mean of 1 of 2; missing: bad"
[ "$(ask bad.db "select state, count(*) from runs group by state order by state")" = complete,2$'\n'incomplete,4 ] ||
  fail "failed runs"

# A limit stops a run, which is no failure. Its workload is in no mean, so that means cover the same workloads.
cat >stopped.ini <<'END'
[study]
workloads = big, small
gpus = tiny
schemes = lrr, gto, short
[workload big]
is = ./vecadd_20k.case
[workload small]
is = ./small.case
[scheme short]
is = lrr
set = run.max_cycles=12000
[figure speedup]
as = speedup
END
expect_exit 1 "$HEDDLE" study ./stopped.ini --db stopped.db --report stopped.json
expect_text "$err" "big tiny short: stopped after "
expect_text "$err" "1 of 6 runs stopped; the first is big tiny short: "
case $err in *FAILED* | *failed*) fail "stopped is not failed: $err" ;; esac
expect_text "$out" "geometric mean of 1 of 2; missing: big (short)"
[ "$(awk '$1 == "small" { print $2, $3, $4 }' <<<"$out")" = "$(awk '$1 == "geometric" && $3 == "(1" { print $6, $7, $8 }' <<<"$out")" ] ||
  fail "the mean is of another set: $out"
grep -q '"mean_notes":\["geometric mean of 1 of 2; missing: big (short)"\]' stopped.json || fail "no note in the report"
expect_exit 0 "$HEDDLE" figure stopped.db speedup -o stopped.csv
grep -q '^geometric mean (1 of 2),gto,tiny,' stopped.csv || fail "CSV: $(cat stopped.csv)"

# Killed at several moments, then finished: none lost, none twice.
line=(compare vecadd_20k.case --gpu gtx480 --schemes
  lrr,gto,two_level:active_warps=1,two_level:active_warps=2,two_level:active_warps=3,two_level:active_warps=4
  --db killed.db)
for wait in 0.1 0.25 0.4; do
  "$HEDDLE" "${line[@]}" >/dev/null 2>&1 &
  sleep $wait
  kill -9 $! 2>/dev/null || true  # it may have finished
  wait $! 2>/dev/null || true
  [ ! -s killed.db ] || "$HEDDLE" query killed.db "select count(*) from runs" >/dev/null || fail "does not open"
done
expect_exit 0 "$HEDDLE" "${line[@]}"
[ "$(ask killed.db "select count(*), count(distinct job) from runs where state = 'complete'")" = 6,6 ] ||
  fail "after kills: $(ask killed.db 'select * from runs')"
[ "$(ask killed.db "select count(*) from runs where state = 'running'")" = 0 ] || fail "still running"

# A study: groups, means, a paper's numbers beside, statistics that are computed.
cat >own.ini <<'END'
[study]
title = A title
workloads = one, two
gpus = tiny
schemes = lrr, wide
[workload one]
is = ./vecadd_20k.case
group = g
[workload two]
is = ./small.case
[scheme wide]
is = lrr
set = sm.warp_schedulers=2
[figure f]
title = Something
statistic = (thread_instructions + 0) / warp_instructions
mean = arithmetic
[paper f]
source = nowhere
mean lrr = 31.5
mean:g wide = 2
END
expect_exit 0 "$HEDDLE" study ./own.ini
for line in "A title" "workload     lrr   paper    wide  paper" "one       32.000       -  32.000      -" \
  "mean, g   32.000       -  32.000  2.000" "mean      32.000  31.500  32.000      -" "paper: nowhere"; do
  expect_text "$out" "$line"
done
[ -e own.db ] || fail "no own.db"
[ "$(ask own.db "select count(distinct config) from runs")" = 2 ] || fail "set of a scheme"

# Mistakes, with file and line.
mistake() {  # TEXT, then the study's lines
  printf '%b' "$2" >wrong.ini
  expect_exit 2 "$HEDDLE" study ./wrong.ini
  expect_text "$err" "$1"
}
head='[study]\nworkloads = atax\ngpus = tiny\nschemes = lrr\n'
mistake "wrong.ini:1: text before the first [section]" 'title = x\n'
mistake "wrong.ini:5: unknown key 'siez' of a study; did you mean 'size'?" "${head}siez = tiny\n"
mistake "wrong.ini: [study] without gpus" '[study]\nworkloads = atax\nschemes = lrr\n'
mistake "'two words': names are separated by commas" '[study]\nworkloads = two words\n'
mistake "wrong.ini:6: as: expected value, speedup or ratio" "$head[figure f]\nas = much\n"
mistake "expected the name of a statistic" "$head[figure f]\nstatistic = 1 + * 2\n"
mistake "wrong.ini:8: expected \`ROW COLUMN = number\`" "$head[figure f]\nas = value\n[paper f]\nmean = 3\n"
mistake "the study has no scheme 'lrx'; did you mean 'lrr'?" "$head[figure f]\nas = value\n[paper f]\natax lrx = 3\n"
mistake "unknown section 'figur'" "$head[figur f]\nas = value\n"
expect_exit 2 "$HEDDLE" study quik
expect_text "$err" "did you mean 'quick'"
expect_exit 2 "$HEDDLE" compare vecadd_20k.case --schemes lrr,gtx
expect_text "$err" "gtx480 with gtx"
expect_exit 2 "$HEDDLE" compare
expect_exit 2 "$HEDDLE" compare vecadd_20k.case --report out.pdf
expect_text "$err" ".html"
expect_exit 2 "$HEDDLE" compare vecadd_20k.case --jobs 0
