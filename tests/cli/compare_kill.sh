# SPDX-License-Identifier: MIT
# kill -9 at random moments of a comparison: no run that had finished is lost,
# none is there twice, the store always opens, no process goes on. SCHEMES=50
# KILLS=20 makes it 200 runs and 20 kills.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"
: "${SCHEMES:=6}" "${KILLS:=5}"
RANDOM=$$

schemes=lrr
for i in $(seq 2 "$SCHEMES"); do schemes+=,two_level:active_warps=$i; done
line=(compare "$cases/vecadd_20k.case" "$cases/bank_stride_1.case" --gpu tiny,gtx480 --schemes "$schemes" --db k.db)
runs=$((4 * SCHEMES))
ask() { "$HEDDLE" query k.db --csv "$1" | tail -n +2; }
finished() { ask "select id, job from runs where state = 'complete' order by id"; }

: >before
for kill in $(seq "$KILLS"); do
  "$HEDDLE" "${line[@]}" >/dev/null 2>&1 &
  child=$!
  sleep "0.$((RANDOM % 9 + 1))"
  kill -9 $child 2>/dev/null || true
  wait $child 2>/dev/null || true
  # What was killed before the file had tables leaves none, or an empty one.
  if [ ! -s before ] && [ -z "$(finished 2>&1 | grep -v 'is empty\|No such file')" ]; then continue; fi
  finished >after || fail "after kill $kill the store does not open"
  [ -z "$(comm -23 <(sort before) <(sort after))" ] || fail "kill $kill lost runs"
  [ -z "$(cut -d, -f2 after | sort | uniq -d)" ] || fail "kill $kill: a run is there twice"
  cp after before
done
echo "$(wc -l <before) of $runs runs after $KILLS kills"
expect_exit 0 "$HEDDLE" "${line[@]}"
[ "$(ask "select count(*), count(distinct job) from runs where state = 'complete'")" = $runs,$runs ] || fail "runs"
[ -z "$(comm -23 <(sort before) <(finished | sort))" ] || fail "the last start lost runs"
[ "$(ask "select count(*) from runs where state = 'running'")" = 0 ] || fail "something is still running"
[ "$(ask "select count(*) from runs as r where state = 'complete' and (select count(*) from kernels where run = r.id)
  = 0")" = 0 ] || fail "a complete run without kernels"
[ "$(ask "pragma integrity_check")" = ok ] || fail "the file is damaged"
for pid in $(pgrep -x heddle); do
  [ "$(readlink "/proc/$pid/cwd")" != "$scratch" ] || fail "a process goes on"
done
