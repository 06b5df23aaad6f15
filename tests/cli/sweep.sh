# SPDX-License-Identifier: MIT
# Sweeps of compare and study: what is run and what is not run again, which
# parameters and values are refused, and that this is before anything is built.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"
cp "$HEDDLE_SOURCE/tests/reference/ref.ptx" .
for name in mm_tiled_96 vecadd_20k; do sed "s|^ptx .*|ptx ref.ptx|" "$cases/$name.case" >$name.case; done

ask() {  # DB SQL
  "$HEDDLE" query "$1" --csv "$2" | tail -n +2
}

# Every value with every scheme; the table and the mean name them; runs keep their settings.
expect_exit 0 "$HEDDLE" compare mm_tiled_96.case vecadd_20k.case --sweep l1d.size_kb=16,32,64 --schemes lrr,gto --db a.db \
  --report a.json
expect_text "$err" "12/12 "
expect_text "$out" "workload     gpu     scheme  l1d.size_kb  cycles  speed-up"
expect_text "$out" "Speed-up over lrr with l1d.size_kb = 16"
expect_text "$out" "workload geometric mean"
[ "$(ask a.db "select settings, count(*) from runs group by settings")" = "l1d.size_kb=16,4
l1d.size_kb=32,4
l1d.size_kb=64,4" ] || fail "settings: $(ask a.db "select * from runs")"
[ "$(ask a.db "select group_concat(size) from (select distinct settings ->> '\$.l1d.size_kb' as size from configs order by size)")" = '"16,32,64"' ] ||
  fail "configurations"
# What larger caches give is what single runs give.
cycles() { "$HEDDLE" run mm_tiled_96.case --scheme gto --set l1d.size_kb=$1 --json - | sed -n 's/^    "cycles": \([0-9]*\),$/\1/p'; }
for size in 16 64; do
  [ "$(ask a.db "select cycles from results where program = 'mm_tiled_96.case' and scheme = 'gto' and settings = 'l1d.size_kb=$size'")" = "$(cycles $size)" ] ||
    fail "cycles with $size KB"
done
base=$(ask a.db "select cycles from results where program = 'mm_tiled_96.case' and scheme = 'lrr' and settings = 'l1d.size_kb=16'")
[ "$(awk '$1 == "mm_tiled_96" && $3 == "gto" && $4 == 64 { print $6 }' <<<"$out")" = "$(awk -v a=$base -v b=$(cycles 64) 'BEGIN { printf "%.3f", a / b }')" ] ||
  fail "the speed-up is over the first scheme with the first value: $out"
grep -q '"sweeps":\[{"name":"l1d.size_kb","title":null,"values":\["16","32","64"\]}\]' a.json || fail "sweeps in the report"
grep -q '"study_runs":{"columns":\["workload","gpu","scheme","l1d.size_kb","run"\],"rows":\[\["mm_tiled_96","gtx480","lrr","16",' a.json ||
  fail "runs of the report"

# Again: nothing. A value more: its runs only. Two sweeps: the product. Stopped and gone on with: the rest.
expect_exit 0 "$HEDDLE" compare mm_tiled_96.case vecadd_20k.case --sweep l1d.size_kb=16,32,64 --schemes lrr,gto --db a.db
expect_text "$err" "12 of 12 runs already in the store"
expect_exit 0 "$HEDDLE" compare vecadd_20k.case --sweep l1d.size_kb=64,128 --schemes gto --db a.db
expect_text "$err" "1 of 2 runs already in the store"
expect_exit 0 "$HEDDLE" compare vecadd_20k.case --sweep l1d.size_kb=16,32 --sweep sm.warp_schedulers=1,2 --schemes gto --db b.db
expect_text "$err" "4/4 vecadd_20k gtx480 gto "  # whichever of the parallel runs ends last
expect_text "$err" "/4 vecadd_20k gtx480 gto l1d.size_kb=32 sm.warp_schedulers=2"
expect_text "$out" "sm.warp_schedulers  cycles"
[ "$(ask b.db "select count(distinct config) from runs")" = 4 ] || fail "the product of two sweeps"
"$HEDDLE" query b.db "select 1" >/dev/null
"$HEDDLE" compare vecadd_20k.case --sweep l1d.size_kb=16,32,48,64,96,128 --schemes lrr --db c.db --jobs 1 >/dev/null 2>progress &
for _ in $(seq 200); do ! grep -q 1/6 progress || break; sleep 0.02; done
kill -9 $! 2>/dev/null || true
wait $! 2>/dev/null || true
expect_exit 0 "$HEDDLE" compare vecadd_20k.case --sweep l1d.size_kb=16,32,48,64,96,128 --schemes lrr --db c.db
expect_text "$err" " of 6 runs already in the store"
[ "$(ask c.db "select count(*), count(distinct job) from runs where state = 'complete'")" = 6,6 ] || fail "after a kill"

# A policy's parameter: those without it are run once, and are the same everywhere.
expect_exit 0 "$HEDDLE" compare vecadd_20k.case --schemes lrr,two_level --sweep warp_scheduler.active_warps=1,8 --db p.db
expect_text "$err" "3/3 "
[ "$(ask p.db "select settings from runs where scheme = 'two_level' order by settings")" = "policy.warp_scheduler=two_level:active_warps=1
policy.warp_scheduler=two_level:active_warps=8" ] || fail "policies: $(ask p.db "select settings from runs")"
[ "$(awk '$3 == "lrr" { print $5 }' <<<"$out" | sort -u | wc -l)" = 1 ] || fail "lrr differs: $out"
expect_exit 0 "$HEDDLE" compare vecadd_20k.case --schemes "two_level:active_warps=4" --sweep warp_scheduler.active_warps=2,4 --db p.db
[ "$(ask p.db "select settings from runs where scheme like '%=4' order by settings")" = "policy.warp_scheduler=two_level:active_warps=2
policy.warp_scheduler=two_level:active_warps=4" ] || fail "replaced: $(ask p.db "select scheme, settings from runs")"

# A study file: names for axes, parameters that change along, lines.
cat >own.ini <<'END'
[study]
workloads = one, two
gpus = gtx480
schemes = lrr
sweep = l1d.size_kb = 16, 32
observe = accesses; latency
[workload one]
is = ./vecadd_20k.case
[workload two]
is = ./mm_tiled_96.case
[sweep l1d.size_kb]
title = L1D (KB)
with = l1d.mshrs = 8, 64
[figure f]
title = A line a workload
statistic = l1d.accesses
rows = l1d.size_kb
columns = workload
mean = arithmetic
END
expect_exit 0 "$HEDDLE" study ./own.ini --db own.db
expect_text "$out" "l1d.size_kb "
awk '$1 == 16 { exit !($4 - ($2 + $3) / 2 < 0.2 && $4 - ($2 + $3) / 2 > -0.2) }' <<<"${out//,/}" || fail "the mean of a line: $out"
[ "$(ask own.db "select distinct settings from runs order by settings")" = "l1d.size_kb=16; l1d.mshrs=8
l1d.size_kb=32; l1d.mshrs=64" ] || fail "coupled"

# Mistakes, each before a workload is built (atax would be) and before the store is touched.
HOME=$scratch/none XDG_CACHE_HOME=$scratch/none
export HOME XDG_CACHE_HOME
mistake() {  # TEXT OPTIONS
  local text=$1
  shift
  expect_exit 2 "$HEDDLE" compare atax --db none.db "$@"
  expect_text "$err" "$text"
  case $err in *building*) fail "built before it was checked: $err" ;; esac
  [ ! -e none.db ] || fail "none.db for $*"
}
mistake "unknown key 'size_kbb' in [l1d]; did you mean 'l1d.size_kb'?" --sweep l1d.size_kbb=16
mistake "gtx480 with lrr, l1d.size_kb=17: l1d: size_kb = 17" --sweep l1d.size_kb=16,17
mistake "nearest: 16, 20" --sweep l1d.size_kb=17
mistake "not a number; allowed: 0..65536" --sweep l1d.size_kb=16,many
mistake "--sweep: 'l1d.size_kb': expected SECTION.KEY=VALUE,VALUE" --sweep l1d.size_kb
mistake "--sweep: l1d.size_kb: duplicate value '16'" --sweep l1d.size_kb=16,16
mistake "duplicate value '016' (the same number as '16')" --sweep l1d.size_kb=16,016
mistake "--sweep: l1d.size_kb: no values to sweep" --sweep l1d.size_kb=,
mistake "more than one sweep of 'l1d.size_kb'" --sweep l1d.size_kb=16 --sweep l1d.size_kb=32
mistake "semicolon in value '16;l1d.mshrs=1'" --sweep "l1d.size_kb=16;l1d.mshrs=1"
mistake "control character in value" --sweep $'l1d.size_kb=16\a'
mistake "--sweep: 'l1d.size_kb=16" --sweep $'l1d.size_kb=16\nset = l1d.mshrs=1'
mistake "--set: 'l1d.size_kb=16 # 32': line breaks, and # after a space" --set "l1d.size_kb=16 # 32"
many=$(seq -s, 1000)
mistake "1 x 1 x 2 x 1000 x 1000 combinations of workloads, GPUs, schemes and swept values; the limit is 100000" \
  --sweep "l1d.mshrs=$many" --sweep "l2.mshrs=$many"
mistake "more than 6 sweeps" --sweep a.a=1 --sweep a.b=1 --sweep a.c=1 --sweep a.d=1 --sweep a.e=1 --sweep a.f=1 --sweep a.g=1
mistake "did you mean 'warp_scheduler'?" --sweep warp_schedular.active_warps=1
mistake "no warp_scheduler of these schemes has a parameter 'active_wraps'; did you mean 'active_warps'?" \
  --sweep warp_scheduler.active_wraps=1 --schemes two_level
mistake "active_warps = 99: out of range; allowed: 1..64" --sweep warp_scheduler.active_warps=1,99 --schemes two_level
mistake "unknown replacement policy 'fif'" --sweep l1d.replacement=lru,fif
mistake "did you mean 'gtx480'?" --gpu gtx48
mistake "laods" --observe laods
mistake "did you mean 'gto'?" --schemes lrr,gtoo
expect_exit 2 "$HEDDLE" compare atax ataxx --db none.db
expect_text "$err" "did you mean 'atax'?"
case $err in *building*) fail "built before all workloads were known" ;; esac

# Keys of [study] that are fields of runs reach all runs, and enter their identity.
cat >keys.ini <<'END'
[study]
workloads = vecadd
gpus = gtx480
schemes = lrr, gto
per_sm = true
interval = 100
max_instructions = 90000000
[workload vecadd]
is = vecadd_20k.case
END
expect_exit 0 "$HEDDLE" study keys.ini --quiet
[ "$(ask keys.db "select count(distinct run), min(kernel) from sms where kernel is not null")" = 2,0 ] || fail "per_sm"
[ "$(ask keys.db "select count(distinct run) from intervals")" = 2 ] || fail "interval"
[ "$(ask keys.db "select distinct settings ->> '\$.run.max_instructions' from configs")" = 90000000 ] || fail "max_instructions"
sed -i 's/^interval = 100/check = cats/' keys.ini
expect_exit 2 "$HEDDLE" study keys.ini --quiet
expect_text "$err" "check cats"
sed -i '/^check/d; s/90000000/few/' keys.ini
expect_exit 2 "$HEDDLE" study keys.ini --quiet
expect_text "$err" "few"

# The store names the variant of each run of a study.
cat >variants.ini <<'END'
[study]
workloads = vecadd
gpus = gtx480
schemes = lrr
variants = plain, hits
[workload vecadd]
is = vecadd_20k.case
[variant hits]
set = ideal.l1d=hits
END
expect_exit 0 "$HEDDLE" study variants.ini --quiet
[ "$(ask variants.db "select s.variant, r.settings, r.variant is null from study_runs as s join runs as r using (job) order by position")" = "plain,,1
hits,ideal.l1d=hits,1" ] || fail "variants: $(ask variants.db "select * from study_runs")"
