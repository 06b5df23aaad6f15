# SPDX-License-Identifier: MIT
# heddle compare --on slurm against a real Slurm: a controller and four nodes on this host, in a folder of
# their own. Elements are killed at random, a node, the submitting program and everything at once; one
# element hits its time limit. Every run is there once, with the numbers of a local run.
. "$HEDDLE_SOURCE/tests/cli/common"
for command in munged slurmctld slurmd sbatch; do
  PATH=$PATH:/usr/sbin command -v $command >/dev/null || skip "$command not found (tools/setup test)"
done
[ "$(id -u)" = 0 ] || skip "Slurm's daemons are started as root, and this user is not"
export PATH=$PATH:/usr/sbin:/sbin
cd "$scratch"
RANDOM=${SEED:=$$}
echo "SEED=$SEED"

# ---- a cluster

slurm=$scratch/slurm
nodes="n1 n2 n3 n4"
unset "${!SLURM_@}" "${!SBATCH_@}"
export SLURM_CONF=$slurm/slurm.conf

# wait_for SECONDS WHAT COMMAND...: until the command succeeds.
wait_for() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    [ $SECONDS -lt $end ] || fail "waited too long for $what"$'\n'"$(tail -n 5 "$slurm"/log/* 2>/dev/null; cat submit.err 2>/dev/null)"
    sleep 0.1
  done
}

# Everything that belongs to this cluster has its folder in its environment or on its command line.
cluster_processes() {
  local pid
  for pid in $(pgrep 'slurm|munged|heddle' || true); do
    if { cat "/proc/$pid/environ" "/proc/$pid/cmdline" | tr '\0' '\n' | grep -F "$scratch"; } >/dev/null 2>&1; then echo "$pid"; fi
  done
}
stop_cluster() {
  local i pids
  for i in 1 2 3 4 5; do
    pids=$(cluster_processes)
    [ -n "$pids" ] || break
    kill -9 $pids 2>/dev/null || true
    sleep 0.1
  done
  rm -rf "$scratch"
}
trap "${KEEP:-stop_cluster}" EXIT

write_conf() {  # PORT
  local host node i=0
  host=$(hostname -s)
  cat >"$SLURM_CONF" <<CONF
ClusterName=heddle
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$1
AuthType=auth/munge
AuthInfo=socket=$slurm/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool/%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/%n.pid
SlurmctldLogFile=$slurm/log/slurmctld
SlurmdLogFile=$slurm/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=1
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
SlurmdTimeout=6
MessageTimeout=60
KillWait=1
MaxArraySize=9
CONF
  for node in $nodes; do
    i=$((i + 1))
    echo "NodeName=$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($1 + i)) CPUs=1 RealMemory=512" >>"$SLURM_CONF"
  done
  echo "PartitionName=small Nodes=n[1-4] Default=YES MaxTime=60 State=UP" >>"$SLURM_CONF"
}

are_free() {  # PORT: it and the four behind it
  local i
  for i in 0 1 2 3 4; do ! (exec 3<>"/dev/tcp/127.0.0.1/$(($1 + i))") 2>/dev/null || return 1; done
}

nodes_are_idle() { [ "$(sinfo -h -N -o %T 2>/dev/null | grep -cx idle)" = 4 ]; }

start_cluster() {
  local port node
  mkdir -p "$slurm"/{log,state,spool}
  head -c 1024 /dev/urandom >"$slurm/munge.key"
  chmod 400 "$slurm/munge.key"
  munged --force --key-file="$slurm/munge.key" --socket="$slurm/munge.socket" --pid-file="$slurm/munged.pid" \
    --log-file="$slurm/log/munged" --seed-file="$slurm/munge.seed" || skip "munged does not start here"
  until port=$((20000 + RANDOM % 30000)) && are_free $port; do :; done
  write_conf $port
  # No plugin of this cluster uses control groups, but slurmd looks for them unless told which kind there
  # is, and ends where none are mounted, as in many containers.
  echo "CgroupPlugin=cgroup/v1" >"$slurm/cgroup.conf"
  slurmctld -c || skip "slurmctld does not start here"
  for node in $nodes; do slurmd -N "$node" || skip "slurmd does not start here"; done
  wait_for 180 "four idle nodes" nodes_are_idle
}
start_cluster

# ---- 200 runs

sed "s|^ptx .*|ptx $HEDDLE_SOURCE/tests/reference/ref.ptx|; s/320 1 1/40 1 1/" "$cases/vecadd_20k.case" >"a case.case"
study=(compare "a case.case" --gpu tiny --schemes lrr,gto --sweep l1d.mshrs=4,6,8,10,12,14,16,20,24,32
  --sweep sm.l1_latency_cycles=10,15,20,25,30,35,40,45,50,55)
db=runs.db
ask() { "$HEDDLE" query "$1" --csv "$2" | tail -n +2; }

submit() {  # MORE OPTIONS: in the background
  rm -f submit.err  # here: what the last one wrote must not be taken for an answer of this one
  "$HEDDLE" "${study[@]}" --db "$db" "$@" >submit.out 2>submit.err &
  submitter=$!
}
elements() { pgrep -f "heddle bundle $scratch/$db.jobs/" || true; }  # process ids
has_elements() { [ -n "$(elements)" ]; }
variable() { { tr '\0' '\n' <"/proc/$1/environ" | sed -n "s/^$2=//p"; } 2>/dev/null || true; }  # PID NAME

submit --on slurm --slurm "--partition=small --comment='a test'" --element-seconds 100 --retries 50
wait_for 180 "an element" has_elements

"$HEDDLE" compare --db $db --status >status
grep -q '^  done  ' status && grep -q '^jobs: [1-4] running' status || fail "status: $(cat status)"

# Elements are killed.
kill_element() {
  local pids element
  pids=$(elements)
  [ -n "$pids" ] && element=$(shuf -n 1 <<<"$pids") && kill -9 "$element" 2>/dev/null
}
for i in 1 2 3 4 5; do
  wait_for 180 "an element to kill" kill_element
  sleep "0.$((RANDOM % 8 + 1))"
done

# A node dies with all that runs on it.
kill_node() {
  local element node
  for element in $(elements); do
    node=$(variable "$element" SLURMD_NODENAME)
    [ -n "$node" ] || continue
    kill -9 "$(cat "$slurm/$node.pid")" "$(ps -o ppid= -p "$element" | tr -d ' ')" "$element" 2>/dev/null && dead=$node && return 0
  done
  return 1
}
wait_for 180 "a node to kill" kill_node
# Slurm would notice in its own time.
scontrol update "nodename=$dead" state=down reason="it died"
echo "node $dead is dead"

# The submitting program is killed: its jobs go on, and it can be resumed.
kill -9 $submitter
wait $submitter 2>/dev/null || true
"$HEDDLE" compare --db $db --status >status
expect_text "$(cat status)" ": 200 runs"
submit --resume --element-seconds 2 --retries 50
for i in 6 7 8 9 10; do
  wait_for 180 "an element to kill" kill_element
  sleep "0.$((RANDOM % 8 + 1))"
done

# Two at once: the second is told.
expect_exit 2 "$HEDDLE" "${study[@]}" --db $db --resume
expect_text "$err" "another heddle"

# The node comes back.
slurmd -N "$dead"
scontrol update "nodename=$dead" state=resume 2>/dev/null || true  # it may be back by itself

# Everything is killed at once, some runs being done. What was done is kept; the rest is to be submitted again.
has_done() { [ "$("$HEDDLE" compare --db $db --status | sed -n 's/^  done *//p')" -ge "$1" ]; }
wait_for 180 "some runs" has_done 30
kill -9 $submitter $(elements) 2>/dev/null || true
wait $submitter 2>/dev/null || true
scancel --partition=small
queue_is_empty() { [ -z "$(squeue -h -t pending,running,completing)" ]; }
wait_for 180 "an empty queue" queue_is_empty
"$HEDDLE" compare --db $db --status >status
expect_text "$(cat status)" "jobs: 0 running, 0 waiting"
lost=$(sed -n 's/^  lost *\([0-9]*\) .*/\1/p' status)
[ "$lost" -gt 0 ] && grep -q '^  running  *0$' status || fail "status after everything was killed: $(cat status)"

# Resumed, it ends; meanwhile the same study runs here.
submit --resume --element-seconds 2 --retries 50

# A time limit: an element that hangs in a run. Both are stopped first, as runs take milliseconds, and
# only if the store of this attempt has the run: then its end leaves a trace.
is_in_run() {  # ELEMENT, stopped
  local list bundle store
  { read -r -d '' list && read -r -d '' bundle; } < <(sed -z '1,2d' "/proc/$1/cmdline" 2>/dev/null) || return 1
  store=$(ls -v "$(dirname "$list")/$bundle".*.db 2>/dev/null | tail -n 1)
  [ -n "$store" ] && [ "$(ask "$store" "select count(*) from runs where state = 'running'" 2>/dev/null)" = 1 ]
}
hang() {
  local element run
  for element in $(elements); do
    kill -STOP "$element" 2>/dev/null || continue
    run=$(pgrep -P "$element" || true)
    # By its place in the array: one element has the number of the whole array as its own.
    job=$(variable "$element" SLURM_ARRAY_JOB_ID)_$(variable "$element" SLURM_ARRAY_TASK_ID)
    [ -n "$run" ] && kill -STOP $run 2>/dev/null && is_in_run "$element" &&
      [ "$job" != _ ] && scontrol update "jobid=$job" EndTime=now+1 && return 0
    kill -CONT $run "$element" 2>/dev/null
  done
  return 1
}
wait_for 180 "an element to hang" hang
echo "job $job hangs"
expect_exit 0 "$HEDDLE" "${study[@]}" --db local.db --quiet
wait $submitter || fail "resumed: $(cat submit.err)"
[ "$(squeue -h -t all -j "$job" -o %T)" = TIMEOUT ] || fail "no time limit: $(squeue -h -t all -j "$job")"
cp submit.out slurm.out
[ ! -e $db.jobs ] || fail "files are left: $(ls -R $db.jobs)"
[ "$(ask $db "select count(*), count(distinct job) from runs where state = 'complete'")" = 200,200 ] || fail "not 200 runs"
[ "$(ask $db "select count(*) from runs where state = 'running'")" = 0 ] || fail "a run that never ended"
[ "$(ask $db "select count(*) from runs where state in ('lost', 'incomplete', 'failed', 'stopped')")" -ge 1 ] || fail "kills left no trace"
[ "$(ask $db "pragma integrity_check")" = ok ] || fail "the store is damaged"

# The numbers are those of the local runs, to the last bit.
dump() {  # DB: every table but the numbers of runs, and seconds
  local table
  for table in totals kernels policy_counters sums $(ask "$1" "select name from row_tables order by name"); do
    echo "$table"
    "$HEDDLE" query "$1" --csv "select job, t.* from runs join $table as t on t.run = runs.id where state = 'complete'" |
      sed 's/"[^"]*"/text/g' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) out[i] = $i ~ /^(run|(wall|cpu)_seconds)$/ }
        { line = ""; for (i = 1; i <= NF; i++) if (!out[i]) line = line "," $i; print line }' | sort
  done
}
dump $db >there
dump local.db >here
[ "$(wc -l <here)" -gt 600 ] || fail "hardly any rows: $(wc -l <here)"
cmp here there || fail "numbers differ: $(diff here there | head -n 5)"
"$HEDDLE" "${study[@]}" --db local.db 2>/dev/null >local.out
cmp local.out slurm.out || fail "the tables differ"
echo "equal: $(wc -l <here) rows"

# Ctrl-C leaves the jobs and says how to come back; --cancel removes them, and --resume goes on.
study=(compare "a case.case" --gpu tiny --schemes lrr,gto)
db="other runs.db"
submit --on slurm --slurm "--hold"
waits() { "$HEDDLE" compare --db "$db" --status 2>/dev/null | grep -q '^jobs: 0 running, 1 waiting (JobHeldUser)'; }
wait_for 180 "a job that waits" waits
expect_exit 2 "$HEDDLE" "${study[@]}" --db "$db" --on slurm
kill -TERM $submitter  # the shell has it ignore SIGINT, as a job in the background
wait $submitter && fail "interrupted, and all was fine" || [ $? = 1 ] || fail "exit code of an interrupted submission"
expect_text "$(cat submit.err)" "the jobs stay in Slurm's queue. To resume: "
expect_text "$(cat submit.err)" "--db 'other runs.db' --on slurm --slurm --hold --resume"
expect_exit 2 "$HEDDLE" "${study[@]}" --db "$db" --on slurm
expect_text "$err" "--cancel removes them"
submit --resume
wait_for 180 "the submitting program" grep -qs "0 of 2 runs done" submit.err
expect_exit 0 "$HEDDLE" compare --db "$db" --cancel
expect_text "$out" "1 jobs cancelled"
wait $submitter && fail "cancelled, and all was fine" || true
expect_text "$(cat submit.err)" "cancelled; to continue: "
wait_for 180 "an empty queue" queue_is_empty
expect_exit 0 "$HEDDLE" "${study[@]}" --db "$db" --resume --slurm --requeue
[ "$(ask "$db" "select count(*) from runs where state = 'complete'")" = 2 ] || fail "not 2 runs"
[ ! -e "$db.jobs" ] || fail "files are left"

# What Slurm refuses is said in its words.
expect_exit 2 "$HEDDLE" "${study[@]}" --db none.db --on slurm --slurm "--partition=large"
expect_text "$err" "Slurm has no partition 'large'"
expect_exit 2 "$HEDDLE" "${study[@]}" --db none.db --on slurm --slurm "--account-of=nobody"
expect_text "$err" "sbatch failed: sbatch: unrecognized option"
[ ! -e none.db.jobs ] || fail "a refused submission left files"

# The commands of docs/slurm.md.
can_compile || skip "clang not found, or heddle was built without libclc"
[ -s "$(dirname "$HEDDLE")/page/report.html" ] || skip "heddle was built without its report page"
export PATH=$(dirname "$HEDDLE"):$PATH
block() { awk -v wanted="$1" '/^```/ { inside = !inside; count += inside; next } inside && count == wanted' "$HEDDLE_SOURCE/docs/slurm.md"; }
line() { block "$1" | sed -n "$2p"; }
expect_exit 0 bash -c "$(line 1 1)"
expect_text "$out" "hotspot"
[ -s page.html ] || fail "no page"
rm compare.db page.html
bash -c "exec $(line 1 1 | sed 's/"--partition=small"/"--partition=small --hold"/')" >/dev/null 2>&1 &
submitter=$!
held() { bash -c "$(line 2 1)" 2>/dev/null | grep -q JobHeldUser; }
wait_for 120 "a job that waits" held
expect_exit 0 bash -c "$(line 2 2)"
expect_text "$out" "1 jobs cancelled"
wait $submitter && fail "cancelled, and all was fine" || true
expect_exit 0 bash -c "$(line 2 3 | sed 's/ --resume/ --resume --slurm --partition=small/')"
[ -s page.html ] || fail "no page after --resume"
expect_exit 0 bash -c "$(block 3)"
[ "$(ask mine.db "select count(*) from runs where state = 'complete'")" = 2 ] || fail "the commands of docs/slurm.md"
