# SPDX-License-Identifier: MIT
# compare and study --on commands: job lists, bundles, what is merged, and what may go wrong without Slurm:
# files that changed, lists that were edited, stores that were cut short, kills, two at once, full disks.
. "$HEDDLE_SOURCE/tests/cli/common"
mkdir "$scratch/it's a folder"
cd "$scratch/it's a folder"
cp "$HEDDLE_SOURCE/tests/reference/ref.ptx" .
sed "s|^ptx .*|ptx ref.ptx|; s/320 1 1/16 1 1/" "$cases/vecadd_20k.case" >"a case.case"
study=(compare "a case.case" --gpu tiny --schemes lrr,gto --sweep l1d.mshrs=4,8,16)
ask() { "$HEDDLE" query "$1" --csv "$2" | tail -n +2; }
count() { sed -n "s/^  $1 *\([0-9]*\).*/\1/p"; }  # of a line of --status

# ---- submitting, running, merging

expect_exit 0 "$HEDDLE" "${study[@]}" --on commands --element-seconds 20
commands=$out
[ "$(wc -l <<<"$commands")" = 3 ] || fail "not three commands: $out"
expect_text "$err" "6 runs in 3 commands"
expect_exit 2 "$HEDDLE" "${study[@]}" --on commands
expect_text "$err" "--resume waits for them"
expect_exit 0 "$HEDDLE" compare --status
[ "$(count waiting <<<"$out")" = 6 ] || fail "status: $out"
(cd / && sh -c "$(head -n 1 <<<"$commands")") 2>/dev/null || fail "the first command"  # from anywhere
expect_exit 0 "$HEDDLE" compare --status
[ "$(count done <<<"$out") $(count waiting <<<"$out")" = "2 4" ] || fail "status: $out"
sh -c "$commands" 2>/dev/null || fail "commands"
expect_exit 0 "$HEDDLE" "${study[@]}"  # merges, and has nothing to run
expect_text "$err" "6 of 6 runs already in the store"
there=$out
[ ! -e compare.db.jobs ] || fail "files are left: $(ls -R compare.db.jobs)"
expect_exit 0 "$HEDDLE" "${study[@]}" --db local.db
[ "$there" = "$out" ] || fail "tables differ:"$'\n'"$there"$'\n'"$out"
[ "$(ask compare.db "select count(*), count(distinct job) from runs")" = 6,6 ] || fail "runs"
expect_exit 0 "$HEDDLE" "${study[@]}" --on commands  # nothing to submit: the tables
[ "$there" = "$out" ] || fail "tables with nothing to submit"

# Times are recorded now: like runs are expected to take as long, and make one bundle.
expect_exit 0 "$HEDDLE" "${study[@]}" --sweep l1d.miss_queue=4 --on commands
[ "$(wc -l <<<"$out")" = 1 ] && grep -q '"guess":false' compare.db.jobs/1/list.jsonl || fail "recorded times: $out"
# A bundle of several processes.
expect_exit 0 "$HEDDLE" "${study[@]}" --sweep l1d.miss_queue=4 --on commands --resume --jobs 3
expect_exit 0 sh -c "$out"
expect_exit 0 "$HEDDLE" "${study[@]}" --sweep l1d.miss_queue=4 --on commands
[ "$(ask compare.db "select count(*) from runs where state = 'complete'")" = 12 ] || fail "three at a time"

# ---- kills

expect_exit 0 "$HEDDLE" "${study[@]}" --db killed.db --on commands --element-seconds 1000 --retries 1
command=$out
list=killed.db.jobs/1
# Runs hang while they are stopped: the test decides when what is killed.
run_of() { pgrep -P "$1" -x heddle; }
start_hanging() {  # leaves the bundle's process in $bundle, and its run, stopped, in $run
  sh -c "exec $command" 2>/dev/null &
  bundle=$!
  for _ in $(seq 600); do
    run=$(run_of $bundle) && kill -STOP "$run" 2>/dev/null && return
    sleep 0.05
  done
  fail "no run of the bundle"
}
start_hanging
expect_exit 0 "$HEDDLE" compare --db killed.db --status
[ "$(count running <<<"$out")" = 1 ] || fail "status of a run: $out"
expect_text "$out" "jobs: 1 running, 0 waiting"
expect_exit 2 sh -c "$command"
expect_text "$err" "bundle 1 is being run by another process"
kill -9 $bundle
wait $bundle 2>/dev/null || true
# A line that was cut short counts as not written.
printf '{"event":"done","run":"' >>$list/1.1.jsonl
expect_exit 0 "$HEDDLE" compare --db killed.db --status
expect_text "$out" "lost"
expect_exit 0 sh -c "$command"
[ "$(grep -c '"begin"' $list/1.2.jsonl)" -ge 5 ] || fail "the second attempt: $(cat $list/1.2.jsonl)"
expect_exit 0 "$HEDDLE" "${study[@]}" --db killed.db --on commands
[ "$(ask killed.db "select count(*), count(distinct job) from runs where state = 'complete'")" = 6,6 ] || fail "after a kill"

# A run that is killed is begun again by the same bundle, as often as --retries says; then it has failed.
for retries in 1 0; do
  db=retries$retries.db
  expect_exit 0 "$HEDDLE" "${study[@]}" --db $db --on commands --element-seconds 1000 --retries $retries
  command=$out
  start_hanging
  kill -9 "$run"
  got=0
  wait $bundle || got=$?
  [ $got = $((1 - retries)) ] || fail "exit code $got of a bundle with a killed run and $retries retries"
  [ "$(grep -c '"killed"' $db.jobs/1/1.1.jsonl)" = 1 ] || fail "killed once: $(cat $db.jobs/1/1.1.jsonl)"
  expect_exit 0 "$HEDDLE" compare --db $db --status
  [ "$(count done <<<"$out") $(count failed <<<"$out")" = "$((5 + retries)) $((1 - retries))" ] || fail "$retries retries: $out"
done
expect_exit 1 "$HEDDLE" "${study[@]}" --db $db --on commands --retries 0
expect_text "$err" "killed 1 times"
expect_text "$err" "--retries 1 tries again"
expect_exit 0 "$HEDDLE" "${study[@]}" --db $db --on commands --retries 1
expect_exit 0 sh -c "$out"
expect_exit 0 "$HEDDLE" "${study[@]}" --db $db --on commands
[ "$(ask $db "select count(*) from runs where state = 'complete'")" = 6 ] || fail "states: $(ask $db "select state, error from runs")"

# A run that fails by itself is not begun again by the bundle, but by whoever submits again.
printf 'ptx ref.ptx\nalloc C 64\nlaunch vecadd 320 1 1 64 1 1 $C $C $C\n' >bad.case
bad=(compare bad.case "a case.case" --gpu tiny --schemes lrr --db bad.db)
expect_exit 0 "$HEDDLE" "${bad[@]}" --on commands
command=$out
for i in 1 2; do expect_exit $((i == 1)) sh -c "$command"; done
[ "$(cat bad.db.jobs/1/*.jsonl | grep -c '"failed"')" = 1 ] || fail "a failed run was begun again"
expect_exit 0 "$HEDDLE" compare --db bad.db --status
expect_text "$out" "  bad tiny lrr: "
expect_exit 0 "$HEDDLE" "${bad[@]}" --on commands
expect_text "$err" "1 runs in 1 commands"

# ---- files that are not what they were

again=("${study[@]}" --db changed.db --on commands --element-seconds 1000)
expect_exit 0 "$HEDDLE" "${again[@]}"
command=$out
echo "# changed" >>"a case.case"
expect_exit 2 sh -c "$command"
expect_text "$err" "a case.case has changed since the study was submitted"
expect_exit 0 "$HEDDLE" compare --db changed.db --status
expect_text "$out" "a case.case has changed"
sed -i '$d' "a case.case"
mv ref.ptx elsewhere
expect_exit 2 sh -c "$command"
expect_text "$err" "ref.ptx: No such file"
mv elsewhere ref.ptx
cp "$HEDDLE" other-heddle && echo >>other-heddle
expect_exit 2 ./other-heddle bundle changed.db.jobs/1/list.jsonl 1
expect_text "$err" "other-heddle differs from the heddle that submitted the study"
expect_exit 0 "$HEDDLE" "${again[@]}" --resume
command=$out
sed "s|\"heddle\":\"[^\"]*\"|\"heddle\":\"elsewhere\"|" changed.db.jobs/2/list.jsonl >edited && cp edited changed.db.jobs/2/list.jsonl
expect_exit 2 sh -c "$command"
expect_text "$err" "corrupt job list (edited or truncated)"
expect_exit 2 "$HEDDLE" compare --db changed.db --status
expect_text "$err" "changed.db.jobs/2/*.db"
head -c 300 edited >changed.db.jobs/2/list.jsonl
expect_exit 2 sh -c "$command"
: >changed.db.jobs/2/list.jsonl
expect_exit 2 sh -c "$command"
rm -r changed.db.jobs
expect_exit 2 sh -c "$command"
expect_text "$err" "cannot open"
expect_exit 0 "$HEDDLE" compare --db changed.db --status
expect_text "$out" "no submitted runs"
expect_exit 2 "$HEDDLE" "${study[@]}" --db changed.db --resume
expect_text "$err" "nothing to resume"

# ---- stores that were cut short: their runs are run again

expect_exit 0 "$HEDDLE" "${study[@]}" --db cut.db --on commands --element-seconds 20
sh -c "$out" 2>/dev/null
truncate -s 9000 cut.db.jobs/1/2.1.db
expect_exit 0 "$HEDDLE" "${study[@]}" --db cut.db --on commands
expect_text "$err" "2.1.db: corrupt store"
expect_text "$err" "2 runs in 1 commands"
expect_exit 0 sh -c "$out"
expect_exit 0 "$HEDDLE" "${study[@]}" --db cut.db --on commands
[ "$(ask cut.db "select count(*) from runs where state = 'complete'")" = 6 ] || fail "after damage"

# ---- two at once, full disks, mistakes

mkdir lock.db.jobs && printf '%s\n%s\n' "$(hostname)" "$(cat /proc/sys/kernel/random/boot_id)/$$/$(awk '{ print $22 }' /proc/$$/stat)" >lock.db.jobs/lock
expect_exit 2 "$HEDDLE" "${study[@]}" --db lock.db --on commands
expect_text "$err" "another heddle on $(hostname)"
printf '%s\n%s\n' "$(hostname)" "$(cat /proc/sys/kernel/random/boot_id)/999999999/1" >lock.db.jobs/lock
expect_exit 0 "$HEDDLE" "${study[@]}" --db lock.db --on commands
expect_exit 2 bash -c 'trap "" XFSZ; ulimit -f 40; exec "$@"' - "$HEDDLE" compare "a case.case" --gpu tiny --sweep "l1d.mshrs=$(seq -s, 1 60)" --db full.db --on commands
[ ! -e full.db.jobs/1/list.jsonl ] || fail "half a list"
expect_exit 2 env PATH=/nowhere "$HEDDLE" "${study[@]}" --db none.db --on slurm
expect_text "$err" "scontrol not found in PATH"
[ ! -e none.db.jobs ] || fail "files without Slurm"
expect_exit 2 "$HEDDLE" "${study[@]}" --on cloud
expect_text "$err" "must be slurm or commands"
expect_exit 2 "$HEDDLE" "${study[@]}" --slurm --partition=x
expect_text "$err" "--slurm needs --on slurm"
expect_exit 2 "$HEDDLE" "${study[@]}" --db none.db --on slurm --slurm "--array=3"
expect_text "$err" "heddle sets --array itself"
expect_exit 2 "$HEDDLE" "${study[@]}" --db none.db --on slurm --slurm no-such-file
expect_exit 2 "$HEDDLE" "${study[@]}" --retries 3
expect_exit 2 "$HEDDLE" "${study[@]}" --on commands --retries many
expect_exit 2 "$HEDDLE" compare --status --cancel
expect_exit 2 "$HEDDLE" compare --db none.db --cancel
expect_text "$err" "nothing to cancel"
expect_exit 2 "$HEDDLE" bundle list.jsonl one
expect_exit 2 "$HEDDLE" bundle /dev/null 1

# ---- 10,000 runs are submitted within five seconds, with an sbatch that takes them all

mkdir "$scratch/bin"
cat >"$scratch/bin/sbatch" <<'SBATCH'
#!/bin/sh
echo "$@" >>sbatch.log; echo 1
SBATCH
cat >"$scratch/bin/scontrol" <<'SCONTROL'
#!/bin/sh
echo "MaxArraySize            = 101"
SCONTROL
printf '#!/bin/sh\necho "other|30:00"\necho "main*|2-00:00:00"\n' >"$scratch/bin/sinfo"
printf '#!/bin/sh\n[ ! -e queue ] || cat queue\n' >"$scratch/bin/squeue"
chmod +x "$scratch"/bin/*
printf '# for all\n#SBATCH --partition=other\n--mem=2G\n' >options
many=(compare "a case.case" --gpu tiny --schemes lrr,gto --sweep "l1d.mshrs=$(seq -s, 1 100)" --sweep "sm.l1_latency_cycles=$(seq -s, 1 50)")
start=$(date +%s%N)
PATH=$scratch/bin:$PATH "$HEDDLE" "${many[@]}" --db many.db --on slurm --slurm options >/dev/null 2>many.err &
submitter=$!
for _ in $(seq 1200); do grep -q "10000 runs in" many.err && break; sleep 0.05; done
elapsed=$((($(date +%s%N) - start) / 1000000))
# Its own time, and that of the tools it has called: other tests run at the same time.
ticks=$(sed 's/.*) //' "/proc/$submitter/stat" | awk '{ print $12 + $13 + $14 + $15 }')
busy=$((ticks * 1000 / $(getconf CLK_TCK)))
kill -9 $submitter
wait $submitter 2>/dev/null || true
echo "10,000 runs submitted in $elapsed ms, $busy ms of them CPU time: $(cat many.err)"
grep -q "10000 runs in" many.err || fail "not submitted: $(cat many.err)"
[ $busy -lt 5000 ] || fail "submission took $busy ms"
[ "$(tail -n 1 many.db.jobs/1/list.jsonl | grep -c '"end"')" = 1 ] || fail "the list"
bundles=$(sed -n '1s/.*"bundles":\([0-9]*\).*/\1/p' many.db.jobs/1/list.jsonl)
[ "$(wc -l <sbatch.log)" = $(((bundles + 99) / 100)) ] || fail "arrays of 100 for $bundles bundles: $(cat sbatch.log)"
grep -q -- "--partition=other --mem=2G .*--array=1-100 " sbatch.log || fail "options: $(cat sbatch.log)"

# ---- --cancel while another heddle waits: the jobs that it removes are not submitted again

# As --cancel does it, between two looks of the submitting program: the mark, then the job is gone.
printf '#!/bin/sh\n[ ! -d held.db.jobs/1 ] || touch held.db.jobs/1/cancelled\n' >"$scratch/bin/squeue"
printf '#!/bin/sh\n' >"$scratch/bin/scancel"
chmod +x "$scratch/bin/scancel"
rm sbatch.log
PATH=$scratch/bin:$PATH expect_exit 1 "$HEDDLE" compare "a case.case" --gpu tiny --schemes lrr,gto --db held.db --on slurm
expect_text "$err" "cancelled; to continue: "
[ "$(wc -l <sbatch.log)" = 1 ] || fail "cancelled, and submitted again: $(cat sbatch.log)"
