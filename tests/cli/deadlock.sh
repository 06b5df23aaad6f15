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
