# SPDX-License-Identifier: MIT
# heddle run --db, query and export: what is kept, how runs end, several writers,
# and files that are no stores.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"

ask() {  # SQL: the answer, without its heading
  "$HEDDLE" query runs.db --csv "$1" | tail -n +2
}

vecadd=$cases/vecadd_20k.case
expect_exit 0 "$HEDDLE" run "$vecadd" --db runs.db --quiet --json a.json --observe all --interval 500
[ "$(ask 'select state, gpu, scheme, mode from runs')" = complete,gtx480,gto,timing ] || fail "the run"
json_value() { sed -n "s/^ *\"$1\": \([0-9.]*\),*\$/\1/p" a.json | head -1; }
for name in cycles l1d.misses dram.reads; do
  [ "$(ask "select \"$name\" from totals")" = "$(json_value "$name")" ] || fail "$name in totals"
  [ "$(ask "select \"$name\" from kernels")" = "$(json_value "$name")" ] || fail "$name in kernels"
done
[ "$(ask 'select name, grid, block from kernels')" = vecadd,320x1x1,64x1x1 ] || fail "the launch"
[ "$(ask 'select count(*), sum(warp_instructions) from cta_rows')" = 320,12160 ] || fail "CTAs"
[ "$(ask 'select sum(warp_instructions) from intervals')" = 12160 ] || fail "intervals"
[ "$(ask 'select count(*) from sms where kernel is null')" = 15 ] || fail "SMs"
[ "$(ask "select settings ->> '\$.gpu.sm_count' from configs")" = 15 ] || fail "the configuration"
[ "$(ask "select value from sums where name = 'C'")" = 209848320.0 ] || fail "sums"

# One configuration for many runs; of a job one complete run.
for i in 1 2 3; do expect_exit 0 "$HEDDLE" run "$vecadd" --db runs.db --quiet --job same; done
[ "$(ask 'select count(*), count(job), count(distinct config) from runs')" = 2,1,1 ] || fail "jobs"

# Runs that end early, fail, or are killed say so.
expect_exit 1 "$HEDDLE" run "$vecadd" --db runs.db --quiet --max-cycles 100
expect_exit 2 "$HEDDLE" run nothing.case --db runs.db
"$HEDDLE" run "$cases/stencil5_512.case" --no-skip --db runs.db --quiet &
child=$!
while [ -z "$(ask "select 1 from runs where state = 'running'")" ]; do sleep 0.02; done
kill -9 $child
wait $child 2>/dev/null || true
[ "$(ask "select group_concat(state) from (select state from runs order by id)")" = \
  '"complete,complete,stopped,failed,running"' ] || fail "states"
expect_text "$(ask 'select error from runs where id = 3')" "100 cycles"
expect_text "$(ask 'select error from runs where id = 4')" "nothing.case"
expect_exit 0 "$HEDDLE" run "$vecadd" --db runs.db --quiet --functional
[ "$(ask 'select state from runs where id = 5')" = lost ] || fail "a killed run is not lost"

# Many writers at once, into a file that is not there.
for i in $(seq 12); do "$HEDDLE" run "$vecadd" --db many.db --quiet --functional --job $((i % 6)) & done
wait
expect_exit 0 "$HEDDLE" query many.db --csv "select count(*), count(distinct job), min(state) from runs"
[ "$(tail -1 <<<"$out")" = 6,6,complete ] || fail "many writers: $out"

# Queries only read, and mistakes in names are told.
for sql in "delete from runs" "attach 'x' as y" "pragma user_version = 9" "drop table runs" "vacuum"; do
  expect_exit 2 "$HEDDLE" query runs.db "$sql"
  expect_text "$err" "queries are read-only: $sql"
done
expect_exit 2 "$HEDDLE" query runs.db 'select "l1d.hit_rat" from totals'
expect_text "$err" "no such column: l1d.hit_rat"
expect_exit 2 "$HEDDLE" query runs.db 'select 1; select 2'
expect_exit 2 "$HEDDLE" query none.db 'select 1'
expect_text "$err" "none.db"
[ ! -e none.db ] || fail "a query made a store"

# Exports.
expect_exit 0 "$HEDDLE" export runs.db --csv --output runs.csv
# The warps of the run that a limit stopped are further lines of its error.
[ "$(grep -c '^id,\|^[0-9]*,' runs.csv)" = 7 ] || fail "a line a run, and a heading"
expect_exit 0 "$HEDDLE" export runs.db --csv --table kernels
expect_text "$out" "1,0,vecadd,vecadd,320x1x1"
expect_exit 0 "$HEDDLE" export runs.db --json
expect_text "$out" '"kernels": ['
expect_text "$out" '"state": "lost"'
expect_exit 2 "$HEDDLE" export runs.db --csv --table nothing
expect_exit 2 "$HEDDLE" export runs.db

# Files that are no stores, and stores that are damaged.
echo "some text, long enough to be looked at as a file of another kind, and then some" >text.db
: >empty.db
expect_exit 2 "$HEDDLE" query text.db "select 1"
expect_text "$err" "text.db: not a Heddle store"
expect_exit 2 "$HEDDLE" run "$vecadd" --db text.db
expect_exit 2 "$HEDDLE" query empty.db "select 1"
expect_text "$err" "empty store"
cp runs.db damaged.db
size=$(stat -c %s damaged.db)
dd if=/dev/urandom of=damaged.db bs=4096 seek=1 count=$((size / 4096 - 1)) conv=notrunc status=none
expect_exit 2 "$HEDDLE" query damaged.db "select * from results"
expect_text "$err" "damaged.db: corrupt store"
head -c $((size / 2)) runs.db >half.db
expect_exit 2 "$HEDDLE" export half.db --json
expect_exit 0 "$HEDDLE" run "$vecadd" --db empty.db --quiet --functional

# heddle merge: all of several stores, once however often; a damaged one keeps nothing from the others.
for scheme in lrr gto; do "$HEDDLE" run "$cases/vecadd_20k.case" --gpu tiny --scheme $scheme --quiet --db "part $scheme.db" --job $scheme; done
head -c 20000 "part gto.db" >"part cut.db"
expect_exit 2 "$HEDDLE" merge all.db "part lrr.db" "part cut.db" "part gto.db"
expect_text "$out" "all.db: 2 runs copied, 2 of them complete; 0 already present or still running"
expect_text "$err" "part cut.db: corrupt store: "
expect_text "$err" "1 of 3 stores could not be merged"
expect_exit 0 "$HEDDLE" merge all.db "part lrr.db" "part gto.db"
expect_text "$out" "0 runs copied, 0 of them complete; 2 already present or still running"
for scheme in lrr gto; do
  for table in kernels accesses; do
    [ "$("$HEDDLE" query "part $scheme.db" --csv "select * from $table" | cut -d, -f2-)" = \
      "$("$HEDDLE" query all.db --csv "select * from $table where run = (select id from runs where job = '$scheme')" | cut -d, -f2-)" ] ||
      fail "the $table of $scheme differ"
  done
done

# Values count, not only what SQLite can read: one bit of a text changes, and nothing reads the store or merges it.
LC_ALL=C sed 's/"sms_per_cluster":1,/"sms_per_cluster":3,/' "part lrr.db" >"part changed.db"
cmp -s "part lrr.db" "part changed.db" && fail "nothing was damaged"
for line in "merge fresh.db" "query" "report" "export"; do
  case $line in
    merge*) command=("$HEDDLE" merge fresh.db "part changed.db") ;;
    query) command=("$HEDDLE" query "part changed.db" "select cycles from results") ;;
    report) command=("$HEDDLE" report "part changed.db" --output changed.html) ;;
    export) command=("$HEDDLE" export "part changed.db" --csv) ;;
  esac
  expect_exit 2 "${command[@]}"
  expect_text "$err" "part changed.db: corrupt store: settings of configuration 1 differ from their digest"
done
[ ! -e changed.html ] || fail "a page of a damaged store"
[ "$("$HEDDLE" query fresh.db --csv "select count(*) from runs" | tail -n 1)" = 0 ] || fail "a damaged store was merged"
expect_exit 2 "$HEDDLE" merge all.db all.db
expect_text "$err" "into itself"
