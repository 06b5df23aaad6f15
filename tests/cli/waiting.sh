# SPDX-License-Identifier: MIT
# nanosleep takes its time, %globaltimer counts nanoseconds at the core clock, and cycles in which
# all warps sleep are skipped: with the same results as when they are not.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"

cat >waiting.ptx <<'END'
.version 6.3
.target sm_70
.address_size 64
// Lanes ask for 0 to 31 times `time`; a warp sleeps for the longest, twice. Then it waits for 2000 ns more.
.visible .entry sleep(.param .u64 out, .param .u32 time)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [time];
  mov.u32 %r2, %laneid;
  mul.lo.u32 %r1, %r1, %r2;
  mov.u64 %rd2, %globaltimer;
  nanosleep.u32 %r1;
  nanosleep.u32 %r1;
  mov.u64 %rd3, %globaltimer;
  sub.u64 %rd3, %rd3, %rd2;
WAIT:
  mov.u64 %rd4, %globaltimer;
  sub.u64 %rd4, %rd4, %rd2;
  sub.u64 %rd4, %rd4, %rd3;
  setp.lt.u64 %p1, %rd4, 2000;
  @%p1 bra WAIT;
  st.global.u32 [%rd1], %rd3;
  ret;
}
END
# 31 x 10,000 ns, twice. 31 x 100,000 ns would be more than the millisecond that PTX allows.
for time in 10000:620000 100000:2000000; do
  printf 'ptx waiting.ptx\nalloc A 4\nlaunch sleep 8 1 1 64 1 1 $A i:%s\nsum A i32\n' "${time%:*}" >waiting.case
  expect_exit 0 "$HEDDLE" run waiting.case --gpu tiny --json skipped.json
  slept=$(awk '/sum A = / { print $NF }' <<<"$out")
  [ "$slept" -ge "${time#*:}" ] && [ "$slept" -lt $((${time#*:} + 300)) ] || fail "$time: slept $slept ns"
  cycles=$(jq .total.cycles skipped.json)
  [ "$cycles" -gt $((slept + 2000)) ] && [ "$cycles" -lt $((slept + 4000)) ] || fail "$time: $cycles cycles at 1000 MHz"
done

# The same in every way, which without skipping takes each cycle.
printf 'ptx waiting.ptx\nalloc A 4\nlaunch sleep 8 1 1 64 1 1 $A i:1000\nsum A i32\n' >waiting.case
for options in "" --no-skip "--threads 2"; do
  expect_exit 0 "$HEDDLE" run waiting.case --gpu tiny $options --json run.json
  jq 'del(.host, .command, .run, .identity, .label) | del(.. | .wall_seconds?, .cpu_seconds?, .threads?, .no_skip?)' run.json >"plain$options.json"
  cmp "plain.json" "plain$options.json" || fail "$options: $(diff plain.json "plain$options.json" | head -20)"
done

# Without timing the clock counts instructions, and jumps over the 62,000 ns.
expect_exit 0 "$HEDDLE" run waiting.case --gpu tiny --functional --json run.json
slept=$(awk '/sum A = / { print $NF }' <<<"$out")
[ "$slept" -ge 62000 ] && [ "$(jq .total.warp_instructions run.json)" -lt 62000 ] || fail "functional: $slept ns"
