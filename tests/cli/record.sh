# SPDX-License-Identifier: MIT
# heddle record: a recording replays with the cycles of the run that made it, under any scheme; what
# a schedule can change is said; a damaged file is refused; dumps have every request.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"

# results FILE: all but what names the input and measures the host.
results() { jq -cS 'del(..|.wall_seconds?, .cpu_seconds?) | del(.input, .sums)' "$1"; }
same() { [ "$(results "$1")" = "$(results "$2")" ] || fail "$3: $(diff <(results "$1" | jq .) <(results "$2" | jq .) | head -n 5)"; }

# Loops, divergence, barriers, shared memory and atomics.
cat >k.ptx <<'END'
.version 6.0
.target sm_70
.address_size 64
.visible .entry work(.param .u64 a, .param .u32 n)
{
  .reg .u64 %rd<6>;
  .reg .u32 %r<9>;
  .reg .pred %p<4>;
  .shared .align 4 .b8 tile[512];
  ld.param.u64 %rd1, [a];
  ld.param.u32 %r4, [n];
  mov.u32 %r1, %tid.x;
  mov.u32 %r5, %ctaid.x;
  mad.lo.u32 %r6, %r5, 128, %r1;
  mul.wide.u32 %rd2, %r6, 4;
  add.u64 %rd3, %rd1, %rd2;
  mov.u32 %r3, 0;
LOOP:
  ld.global.u32 %r2, [%rd3];
  shl.b32 %r7, %r1, 2;
  mov.u32 %r8, tile;
  add.u32 %r7, %r7, %r8;
  st.shared.u32 [%r7], %r2;
  bar.sync 0;
  and.b32 %r2, %r1, 3;
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra SKIP;
  ld.shared.u32 %r2, [%r7];
  add.u32 %r2, %r2, 1;
  st.global.u32 [%rd3], %r2;
SKIP:
  bar.sync 0;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, %r4;
  @%p2 bra LOOP;
  cvta.to.global.u64 %rd4, %rd1;
  red.global.add.u32 [%rd4+65536], 1;
  ret;
}
.visible .entry ticket(.param .u64 a)
{
  .reg .u64 %rd<4>;
  .reg .u32 %r<4>;
  ld.param.u64 %rd1, [a];
  atom.global.add.u32 %r1, [%rd1], 1;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3+4], %r1;
  ret;
}
END
printf 'ptx k.ptx\nalloc A 131072\nlaunch work 24 1 1 128 1 1 $A i:5\nlaunch work 9 1 1 96 1 1 $A i:3\nsum A i32\n' >work.case
printf 'ptx k.ptx\nalloc A 131072\nlaunch ticket 8 1 1 64 1 1 $A\n' >ticket.case

machine="--gpu v100 --set gpu.sm_count=4 --quiet"
"$HEDDLE" record work.case $machine -o work.htrace --json made.json || fail "a recording"
"$HEDDLE" run work.case $machine --json run.json || fail "a run"
same made.json run.json "recording changed the run"
[ "$(stat -c %s work.htrace)" -lt 8192 ] || fail "the recording has $(stat -c %s work.htrace) bytes"
for scheme in gto ccws laser apres; do
  "$HEDDLE" run work.case $machine --scheme $scheme --observe reuse --json run.json || fail "$scheme"
  "$HEDDLE" run work.htrace $machine --scheme $scheme --observe reuse --json replayed.json || fail "replay with $scheme"
  same run.json replayed.json "replay differs with $scheme"
done
"$HEDDLE" run work.htrace $machine --scheme apres --observe reuse --threads 2 --json threads.json || fail "threads"
same replayed.json threads.json "threads differ"
"$HEDDLE" run work.case $machine --kernels 1 --json run.json || fail "one kernel"
"$HEDDLE" run work.htrace $machine --kernels 1 --json replayed.json || fail "one kernel of a recording"
same run.json replayed.json "kernels by number"
cp work.htrace other-name
"$HEDDLE" run --trace other-name $machine --json replayed.json || fail "another name"

# The summary; what depends on the schedule is said.
"$HEDDLE" list traces work.htrace >log || fail "a summary"
grep -q 'the same under every schedule' log || fail "$(cat log)"
instructions=$(jq '.total["sm.warp_instructions"]' made.json)
grep -q "2 kernels, $instructions warp instructions" log || fail "$(cat log)"
"$HEDDLE" record ticket.case $machine -o ticket.htrace || fail "tickets"
"$HEDDLE" list traces ticket.htrace | grep -q 'atomics that return values' || fail "tickets are not recognised"
"$HEDDLE" run ticket.htrace $machine 2>log || fail "the same machine"
[ ! -s log ] || fail "a warning about the machine that recorded it: $(cat log)"
"$HEDDLE" run ticket.htrace $machine --scheme ccws 2>log || fail "another scheme"
grep -q 'because of: atomics that return values' log || fail "$(cat log)"

# Refused: what is damaged, what is none, what cannot be.
expect_exit 2 "$HEDDLE" run work.htrace $machine --check races
expect_text "$err" 'a recording has no values'
head -c 700 work.htrace >cut.htrace
expect_exit 2 "$HEDDLE" run cut.htrace $machine
expect_text "$err" 'cut.htrace: damaged or truncated'
{ head -c 1500 work.htrace; printf 'damage'; tail -c +1507 work.htrace; } >bad.htrace
expect_exit 2 "$HEDDLE" run bad.htrace $machine
expect_text "$err" 'bad.htrace: damaged'
printf 'nothing' >none.htrace
expect_exit 2 "$HEDDLE" run none.htrace $machine
expect_text "$err" 'none.htrace: not a recording'
{ head -c 8 work.htrace; printf '\007'; tail -c +10 work.htrace; } >later.htrace
expect_exit 2 "$HEDDLE" run later.htrace $machine
expect_text "$err" 'version 7'
expect_exit 2 "$HEDDLE" record work.case $machine
expect_text "$err" 'missing option: -o FILE'
expect_exit 2 "$HEDDLE" record work.htrace $machine -o again.htrace
expect_exit 1 "$HEDDLE" record work.case $machine --max-cycles 500 -o partial.htrace
[ ! -e partial.htrace ] || fail "an incomplete run left a recording"

# Dumps: every request that the counters count.
dump() { "$HEDDLE" run work.htrace $machine --observe "$1:file=$2,format=$3" --json dump.json || fail "$1 as $3"; }
ask() { jq -r "$1" dump.json; }
dump dram_dump dram.csv csv
[ "$(($(wc -l <dram.csv) - 1))" = "$(ask '.total["partition.dram_requests"]')" ] || fail "requests to DRAM"
[ "$(head -n 1 dram.csv)" = cycle,access,space,address,bytes,sm,kernel,cta,warp,pc,outcome,channel,slice ] || fail "the header"
[ "$(ask '.total.dram_dump[0].records')" = "$(ask '.total["partition.dram_requests"]')" ] || fail "the table"
dump dram_dump dram.trace ramulator
[ "$(grep -cE '^0x[0-9a-f]+ [RW]$' dram.trace)" = "$(ask '.total["partition.dram_requests"]')" ] || fail "Ramulator"
dump dram_dump dram.trace ramulator2
[ "$(grep -cE '^(LD|ST) 0x[0-9a-f]+$' dram.trace)" = "$(ask '.total["partition.dram_requests"]')" ] || fail "Ramulator 2"
dump l2_dump l2.bin binary
[ "$((($(stat -c %s l2.bin) - 32) / 48))" = "$(ask '.total["l2_slice.packets"]')" ] || fail "requests to the L2: $(stat -c %s l2.bin)"
dump access_dump access.csv csv
[ "$(($(wc -l <access.csv) - 1))" = "$(ask '.total.access_dump[0].records')" ] || fail "accesses"
lookups=$(ask '.total["l1d.accesses"]')
[ "$(awk -F, '$3 == "global" && $11 != "bypass"' access.csv | wc -l)" = "$lookups" ] || fail "lookups of the L1D: $lookups"
if command -v zstd >/dev/null; then
  cp access.csv plain.csv
  dump access_dump access.csv.zst csv
  zstd -dc access.csv.zst | cmp - plain.csv || fail "a compressed dump"
fi
expect_exit 2 "$HEDDLE" run work.htrace $machine --observe dram_dump:file=/nowhere/x.csv

# A signal while a trace is read stops it, although the whole would take long.
"$HEDDLE_SOURCE/tools/large_trace" 200000000 | gzip -1 >large.traceg.gz
"$HEDDLE" run large.traceg.gz $machine 2>log &
run=$!
wait_for_cpu $run 20
kill -TERM $run
code=0
wait $run || code=$?
[ $code = 1 ] || fail "exit code $code after a signal: $(cat log)"
grep -q interrupted log || fail "$(cat log)"

# Memory does not grow with the trace.
"$HEDDLE_SOURCE/tools/large_trace" 40000000 >large.traceg
(ulimit -v 400000; "$HEDDLE" run large.traceg --functional --quiet) || fail "40 MB of trace in 400 MB of address space"
