# SPDX-License-Identifier: MIT
# A folder of recordings: a study records each workload once and replays it under other schemes,
# with identical results and under the same identity; what a schedule could change is executed.
. "$HEDDLE_SOURCE/tests/cli/common"
need_cc
cd "$scratch"

machine="--size tiny --gpu v100 --set gpu.sm_count=8 --quiet"
results() { jq -cS 'del(..|.wall_seconds?, .cpu_seconds?)' "$1"; }
run() {  # WORKLOAD SCHEME: with the folder and without
  "$HEDDLE" run "$1" $machine --scheme "$2" --recordings kept --json kept.json >kept.log 2>&1 || fail "$1 with $2: $(cat kept.log)"
  "$HEDDLE" run "$1" $machine --scheme "$2" --json run.json >/dev/null || fail "$1 with $2, executed"
  [ "$(results kept.json)" = "$(results run.json)" ] || fail "$1 with $2: results differ"
}
run hotspot gto
grep -q PASSED kept.log || fail "the first run was not executed"
[ "$(ls kept | wc -l)" = 1 ] || fail "no recording: $(ls kept)"
# APRES prefetches within buffers: their places are recorded, too.
run hotspot apres
! grep -q PASSED kept.log || fail "the second run was executed"
# Some prefetchers read data, which a recording does not have.
run hotspot 'gto + early_gather'
grep -q PASSED kept.log || fail "a prefetcher of gathers had a recording"
# Launches by kernels: executed always, and said why.
run amr gto
run amr laperm
grep -q PASSED kept.log || fail "dynamic parallelism was replayed"
grep -q 'launched by another kernel' kept/*.reason || fail "$(cat kept/*.reason)"
# A recording that is damaged is made again.
printf 'damage' >"$(ls kept/*.htrace)"
run hotspot ccws
grep -q PASSED kept.log || fail "a damaged recording was used"
# A recording that is replayed by name has no data for them: gathers are not prefetched.
"$HEDDLE" record spmv --size tiny --gpu tiny --quiet -o spmv.htrace >record.log 2>&1 || fail "$(cat record.log)"
"$HEDDLE" run spmv.htrace --gpu tiny --scheme 'gto + early_gather:level=2' --quiet --json trace.json || fail "a trace with early_gather"
[ "$(jq '.policies["prefetch.early_gather.by_gathers"]' trace.json)" = 0 ] || fail "gathers of a trace: $(jq -c .policies trace.json)"
"$HEDDLE" run spmv --size tiny --gpu tiny --scheme 'gto + early_gather:level=2' --quiet --json run.json >/dev/null || fail "spmv with early_gather"
[ "$(jq '.policies["prefetch.early_gather.by_gathers"]' run.json)" -gt 0 ] || fail "no gathers: $(jq -c .policies run.json)"
expect_exit 1 "$HEDDLE" record amr --size tiny --gpu tiny --quiet -o amr.htrace
expect_text "$err" 'launched by another kernel'

# The rows of a study are the same, and have the same identity: nothing is run again.
study() {  # STORE [KEY = VALUE]
  printf '[study]\ntitle = t\nworkloads = spmv, hotspot\ngpus = tiny\nschemes = gto, ccws, laser\nsize = tiny\n%s\n' "${2:-}" >s.ini
  "$HEDDLE" study s.ini --db "$1" --quiet >study.log 2>&1 || fail "a study: $(cat study.log)"
}
rows() {
  "$HEDDLE" query "$1" --csv "select job, program, scheme, state, cycles, \"l1d.misses\", \"dram.reads\" from results order by job"
}
study plain.db
study replayed.db 'recordings = studied'
[ "$(ls studied/*.htrace | wc -l)" = 2 ] || fail "recordings of the study: $(ls studied)"
[ "$(rows plain.db | grep -c complete)" = 6 ] || fail "runs of the study: $(rows plain.db)"
[ "$(rows plain.db)" = "$(rows replayed.db)" ] || fail "rows differ: $(rows plain.db) $(rows replayed.db)"
