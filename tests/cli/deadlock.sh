# SPDX-License-Identifier: MIT
# A machine that cannot go on says who waits for what: a CTA that hangs at a
# barrier, with and without skipped cycles, and a memory that takes longer than
# is put up with.
. "$HEDDLE_SOURCE/tests/cli/common"

cat >"$scratch/hang.ptx" <<'END'
.version 6.0
.target sm_50
.address_size 64
.visible .entry hang(.param .u64 p)
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra LOW;
  bar.sync 1;
  ret;
LOW:
  bar.sync 2, 64;
  bar.sync 1;
  ret;
}
END
printf 'ptx hang.ptx\nalloc A 64\nlaunch hang 3 1 1 128 1 1 $A\n' >"$scratch/hang.case"

for options in "" "--no-skip --set gpu.deadlock_cycles=1000"; do
  expect_exit 1 "$HEDDLE" run "$scratch/hang.case" $options
  expect_text "$out" INCOMPLETE
  expect_text "$err" "hang.case:3: "
  expect_text "$err" "kernel hang, CTA (0,0,0)"
  expect_text "$err" "barrier 1: 3 of 4 warps arrived: warp 1 ($scratch/hang.ptx:11)"
  expect_text "$err" "barrier 2: 1 of 2 warps arrived: warp 0 ($scratch/hang.ptx:14)"
done

# The first instructions take 5000 cycles to come; 1000 are allowed.
expect_exit 1 "$HEDDLE" run "$cases/vecadd_20k.case" --json - --set gpu.deadlock_cycles=1000 \
  --set partition.dram_latency_cycles=5000
expect_text "$out" '"complete": false'
expect_text "$err" ": deadlock at cycle 5131; requests queued in memory partition 0; waiting:"
expect_text "$err" "SM 14: warp 0 of CTA 14 and 15 more: waiting for instruction fetch, at ld.param.u64 in line "

expect_exit 0 "$HEDDLE" run "$cases/vecadd_20k.case" --quiet --set partition.dram_latency_cycles=5000

# ---- warps that spin are not deadlocked, and are listed when a limit stops the run

cat >"$scratch/spin.ptx" <<'END'
.version 6.0
.target sm_50
.address_size 64
// Even CTAs wait for a flag that nobody sets, odd ones at a barrier for their first warp, which does.
.visible .entry spin(.param .u64 p)
{
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %ctaid.x;
  and.b32 %r1, %r1, 1;
  mov.u32 %r2, %tid.x;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra SPIN;
  setp.ge.u32 %p1, %r2, 32;
  @%p1 bra WAIT;
SPIN:
  ld.volatile.global.u32 %r3, [%rd1];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra SPIN;
WAIT:
  bar.sync 0;
  ret;
}
END
printf 'ptx spin.ptx\nalloc A 64\nlaunch spin 4 1 1 96 1 1 $A\n' >"$scratch/spin.case"
for options in "--max-cycles 50000" "--max-cycles 50000 --no-skip" "--max-cycles 50000 --threads 2" "--max-instructions 20000"; do
  expect_exit 1 "$HEDDLE" run "$scratch/spin.case" --gpu tiny $options
  expect_text "$out" INCOMPLETE
  expect_text "$err" "spin.case:3: stopped after "
  expect_text "$err" "; no CTA has completed in the last "
  expect_text "$err" "of kernel spin and 3 more at $scratch/spin.ptx:23 (bar.sync): waiting for a barrier; "
  grep -q "^  warp [0-2] of CTA [0-3] of kernel spin and [0-9] more at $scratch/spin.ptx:\(19\|20\|21\) (.*): waiting for .*; [0-9,]* instructions executed, by a kernel of [0-9]*$" <<<"$err" ||
    fail "no spinning warps: $err"
done
# Warps of a run that goes on are not.
expect_exit 1 "$HEDDLE" run "$cases/vecadd_20k.case" --gpu tiny --max-cycles 20000
[ "$(grep -c . <<<"$err")" = 1 ] || fail "not stuck: $err"
