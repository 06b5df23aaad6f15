# SPDX-License-Identifier: MIT
# Traces of Accel-Sim: timed on any GPU, with the trace's own counts, under schemes and observers.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"

# kernel NAME STREAM: a vector sum of 8 CTAs of 64 threads; warp w of CTA c reads lines of its own,
# waits at a barrier, and stores.
kernel() {
  printf -- '-kernel name = %s\n-kernel id = 1\n-grid dim = (8,1,1)\n-block dim = (64,1,1)\n-shmem = 0\n-nregs = 16\n' "$1"
  printf -- '-binary version = 80\n-cuda stream id = %s\n-accelsim tracer version = 5\n#traces format = x\n' "$2"
  local cta warp base
  for cta in 0 1 2 3 4 5 6 7; do
    printf '#BEGIN_TB\n\nthread block = %d,0,0\n' $cta
    for warp in 0 1; do
      base=$(((cta * 2 + warp) * 128))
      printf '\nwarp = %d\ninsts = 5\n' $warp
      printf '0000 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f00%08x 4 0 \n' $base
      printf '0010 ffffffff 1 R3 FADD 2 R2 R2 0 0 \n'
      printf '0020 ffffffff 0 BAR.SYNC 0 0 0 \n'
      printf '0030 ffffffff 0 STG.E 2 R6 R3 4 1 0x7f10%08x 4 0 \n' $base
      printf '0040 ffffffff 0 EXIT 0 0 0 \n'
    done
    printf '#END_TB\n'
  done
}
kernel _Z3addPf 0 >kernel-1.traceg
kernel _Z3addPf 1 | xz >kernel-2.traceg.xz
printf 'MemcpyHtoD,0x7f0000000000,2048\nkernel-1.traceg\nkernel-2.traceg.xz\n' >kernelslist.g

ask() { jq -r "$1" out.json; }
for gpu in gtx480 v100 h100; do
  "$HEDDLE" run --trace kernelslist.g --gpu $gpu --json out.json --quiet || fail "a trace on $gpu"
  [ "$(ask '[.kernels[].warp_instructions] | @csv')" = 80,80 ] || fail "instructions on $gpu"
  [ "$(ask '.kernels[0].readable_name')" = add ] || fail "the kernel's name"
  [ "$(ask '.total["lsu.loads"]')" = 32 ] || fail "loads on $gpu"
  [ "$(ask '.state')" = complete ] || fail "the state on $gpu"
done
# Kernels of different streams overlap; those of one stream do not.
"$HEDDLE" run --trace kernelslist.g --gpu v100 --json out.json --quiet || fail "two streams"
[ "$(ask '.kernels[1].started_cycle < .kernels[0].ended_cycle')" = true ] || fail "kernels of two streams do not overlap"
kernel _Z3addPf 0 | xz >kernel-2.traceg.xz
"$HEDDLE" run --trace kernelslist.g --gpu v100 --json out.json --quiet || fail "one stream"
[ "$(ask '.kernels[1].started_cycle >= .kernels[0].ended_cycle')" = true ] || fail "kernels of one stream overlap"

# The same bits on any number of threads; schemes, observers, kernels by number.
"$HEDDLE" run --trace kernelslist.g --gpu v100 --scheme apres --json one.json --quiet || fail "a scheme"
"$HEDDLE" run --trace kernelslist.g --gpu v100 --scheme apres --threads 2 --json two.json --quiet || fail "threads"
[ "$(jq -S 'del(..|.wall_seconds?, .cpu_seconds?)' one.json)" = "$(jq -S 'del(..|.wall_seconds?, .cpu_seconds?)' two.json)" ] || fail "threads differ"
"$HEDDLE" run --trace kernel-1.traceg --gpu k40 --observe sharing --observe reuse --json out.json --quiet || fail "observers"
"$HEDDLE" run --trace kernelslist.g --kernels 1 --gpu k40 --json out.json --quiet || fail "one kernel"
[ "$(ask '[.kernels[] | select(.cycles and has("sm.cycles"))] | length')" = 1 ] || fail "timed kernels"

# As a recording: the same results, in fewer bytes.
"$HEDDLE" record --trace kernelslist.g --gpu v100 -o kept.htrace --quiet || fail "a recording of a trace"
for scheme in gto apres; do
  "$HEDDLE" run --trace kernelslist.g --gpu v100 --scheme $scheme --json one.json --quiet || fail "a trace with $scheme"
  "$HEDDLE" run kept.htrace --gpu v100 --scheme $scheme --json two.json --quiet || fail "its recording with $scheme"
  [ "$(jq -S 'del(..|.wall_seconds?, .cpu_seconds?) | del(.input)' one.json)" = "$(jq -S 'del(..|.wall_seconds?, .cpu_seconds?) | del(.input)' two.json)" ] ||
    fail "a recording of a trace differs with $scheme"
done
[ "$(stat -c %s kept.htrace)" -lt "$(($(stat -c %s kernel-1.traceg) / 5))" ] || fail "a recording of $(stat -c %s kept.htrace) bytes"
"$HEDDLE" list traces kernelslist.g >log || fail "a summary"
grep -q '2 kernels, 160 warp instructions' log || fail "$(cat log)"

# What is unknown is named and counted; what is damaged is refused with its line.
sed 's/FADD/FROB.X/' kernel-1.traceg >unknown.traceg
"$HEDDLE" run --trace unknown.traceg --quiet 2>log || fail "an unknown instruction"
grep -q 'unknown SASS instruction FROB, 16 times' log || fail "$(cat log)"
"$HEDDLE" list traces unknown.traceg | grep -q 'FROB (16)' || fail "the summary names no unknown instruction"
sed '17s/1 R2/7 R2/' kernel-1.traceg >bad.traceg
expect_failure() { "$HEDDLE" run "$@" --quiet >log 2>&1 && fail "accepted: $*"; return 0; }
expect_failure --trace bad.traceg
grep -q 'bad.traceg:17: expected the number of destinations' log || fail "$(cat log)"
head -n 40 kernel-1.traceg >cut.traceg
expect_failure --trace cut.traceg
grep -q 'truncated' log || fail "$(cat log)"
expect_failure --trace nothing.traceg
expect_failure --trace kernel-1.traceg --check races
grep -q 'a trace has no values' log || fail "$(cat log)"

# In a store a trace is known by the content of its kernels, not by its list alone.
compare() { "$HEDDLE" compare ./kernelslist.g --gpu tiny --schemes gto --db traces.db --quiet || fail "a comparison of traces"; }
runs() { "$HEDDLE" query traces.db --csv "select count(*) from runs where state = 'complete'" | tail -n 1; }
compare
compare
[ "$(runs)" = 1 ] || fail "a trace was run twice: $(runs)"
kernel _Z3sumPf 0 | xz >kernel-2.traceg.xz
compare
[ "$(runs)" = 2 ] || fail "a changed kernel was not run: $(runs)"
