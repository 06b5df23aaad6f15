# SPDX-License-Identifier: MIT
# Sampled runs: what they refuse, the program's results, marks and intervals in results, the same
# bits twice; fast-forward, and checkpoints from which later launches take the same cycles.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"

{
  echo "ptx $HEDDLE_SOURCE/tests/reference/ref.ptx"
  printf '%s\n' 'alloc A 1146880' 'alloc B 1146880' 'fill A i32 iota' 'fill B i32 const 7'
  for i in 1 2 3 4 5 6; do echo 'launch vecadd 2240 1 1 128 1 1 $A $A $B'; done
  echo 'sum A i32'
} >steps.case
run() { expect_exit "$1" "$HEDDLE" run steps.case --gpu tiny --json "$2.json" "${@:3}"; }
total() { sed -n "s/^    \"$2\": \([0-9]*\),*$/\1/p" "$1.json"; }  # by the indentation

# ---- refused

for mistake in 3% error=3 error=0% error=nan%; do
  run 2 none --sample "$mistake"
  expect_text "$err" "--sample: '$mistake': expected error=PERCENT with 0.1% to 20%, such as error=3%"
done
run 2 none --sample error=3% --functional
expect_text "$err" "--sample cannot be combined with --functional"
run 2 none --sample error=3% --max-cycles 100
expect_text "$err" "--sample cannot be combined with --max-cycles"
run 2 none --sample error=3% --check races
expect_text "$err" "--sample cannot be combined with --check"
run 2 none --checkpoint state
expect_text "$err" "--checkpoint state: nothing says where; add --skip-kernels N or --fast-forward INSTRUCTIONS"
run 2 none --restore state --skip-kernels 1
expect_text "$err" "the checkpoint says where timing begins"
run 2 none --functional --skip-kernels 1
expect_text "$err" "cannot be combined with --functional"
run 2 none --skip-kernels 6
expect_text "$err" "--skip-kernels: no launch was timed: the program has 6 launches, all before timing begins"

# ---- sampled

run 0 complete
expect_text "$out" "sum A = 4.11160781e+10"
# A program of less than 2^20 warp instructions is timed whole, with the cycles of a complete run.
run 0 short --sample error=3%
expect_text "$out" "timed whole: 6 launches: too few instructions so far"
[ "$(total complete cycles)" = "$(total short cycles)" ] || fail "timed whole, but other cycles"
run 0 sampled --sample error=3%,after=0
expect_text "$out" "sum A = 4.11160781e+10"
expect_text "$out" "steps.case on tiny (2 SMs), sampled"
expect_text "$out" "vecadd, projected in part "
expect_text "$out" "sampled: 0 of 6 launches timed whole, 3 in part, 3 projected"
expect_text "$(cat sampled.json)" '"timed": "part"'
expect_text "$(cat sampled.json)" '"timed": "none"'
expect_text "$(cat sampled.json)" '"half_widths"'
[ "$(total complete warp_instructions)" = "$(total sampled warp_instructions)" ] ||
  fail "a sampled run has other instructions"
truth=$(total complete cycles)
low=$(total sampled sampling.cycles_low) high=$(total sampled sampling.cycles_high)
[ "$low" -le "$truth" ] && [ "$truth" -le "$high" ] || fail "$truth cycles are not in $low..$high"
[ "$low" -lt "$high" ] || fail "the interval is empty"
awk -v low="$low" -v high="$high" 'BEGIN { exit !(high - low < 0.06 * low) }' || fail "$low..$high is wide"

[ $(($(total sampled sampling.timed_warp_instructions) + $(total sampled sampling.projected_warp_instructions))) = \
  "$(total complete warp_instructions)" ] || fail "timed and projected instructions are not all"
expect_exit 0 "$HEDDLE" run steps.case --gpu tiny --sample error=3%,after=0 --db runs.db --quiet
expect_exit 0 "$HEDDLE" run steps.case --gpu tiny --db runs.db --quiet
expect_exit 0 "$HEDDLE" query runs.db "select mode, \"sampling.cycles_high\" is null from results order by id"
expect_text "$out" "sampled"
expect_text "$out" "timing"

strip() { grep -v '_seconds"' "$1.json"; }
run 0 again --sample error=3%,after=0 --threads 2
cmp <(strip sampled) <(strip again) || fail "two sampled runs differ"

# Launches too small to leave CTAs out: the first three are timed, then one after eight projected.
sed 's/vecadd 2240/vecadd 64/; /^launch/{p;p;p}' steps.case >many.case
expect_exit 0 "$HEDDLE" run many.case --gpu tiny --json complete.json --quiet
expect_exit 0 "$HEDDLE" run many.case --gpu tiny --json sampled.json --sample error=3%,after=0
expect_text "$out" "launches timed whole, 0 in part"
timed=$(sed -n 's/^ *"timed": "\(.*\)",*$/\1/p' sampled.json | tr '\n' ' ')
[[ $timed == "whole whole whole "*"none none none none none none none none whole none "* ]] ||
  fail "not timed again after eight launches: $timed"
truth=$(total complete cycles)
low=$(total sampled sampling.cycles_low) high=$(total sampled sampling.cycles_high)
[ "$low" -le "$truth" ] && [ "$truth" -le "$high" ] || fail "$truth cycles are not in $low..$high"

# A kernel that uses results of atomics is timed whole, with the cycles of a complete run.
cat >claim.ptx <<'END_OF_PTX'
.version 6.0
.target sm_35
.address_size 64
.visible .entry claim(.param .u64 counter, .param .u64 to) {
  .reg .u64 %rd<4>; .reg .u32 %r<3>;
  ld.param.u64 %rd0, [counter];
  ld.param.u64 %rd1, [to];
  atom.global.add.u32 %r0, [%rd0], 1;
  mul.wide.u32 %rd2, %r0, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r0;
  ret;
}
END_OF_PTX
cat >claim.case <<END_OF_CASE
ptx $scratch/claim.ptx
alloc C 4
alloc T 131072
launch claim 1024 1 1 32 1 1 \$C \$T
sum T i32
END_OF_CASE
expect_exit 0 "$HEDDLE" run claim.case --gpu tiny --json complete.json
expect_exit 0 "$HEDDLE" run claim.case --gpu tiny --json sampled.json --sample error=3%
expect_text "$out" "timed whole: 1 launch: it uses results of global atomics"
expect_text "$out" "sum T = 536854528"
[ "$(total complete cycles)" = "$(total sampled cycles)" ] || fail "timed whole, but other cycles"

# A long kernel of five waves, two of them timed. Skipped cycles change nothing.
cat >rounds.ptx <<'END_OF_PTX'
.version 6.0
.target sm_35
.address_size 64
.visible .entry rounds(.param .u64 to) {
  .reg .u64 %rd<3>; .reg .u32 %r<6>; .reg .pred %p;
  ld.param.u64 %rd0, [to];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
  mad.lo.u32 %r0, %r0, %r1, %r2;
  mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;
  mov.u32 %r3, 60; mov.u32 %r4, 0;
again:
  ld.global.u32 %r5, [%rd0]; add.u32 %r4, %r4, %r5;
  sub.u32 %r3, %r3, 1; setp.ne.u32 %p, %r3, 0; @%p bra again;
  st.global.u32 [%rd0], %r4;
  ret;
}
END_OF_PTX
printf '%s\n' "ptx $scratch/rounds.ptx" 'alloc T 40960' 'fill T i32 const 1' \
  'launch rounds 320 1 1 32 1 1 $T' 'sum T i32' >rounds.case
few() { expect_exit 0 "$HEDDLE" run rounds.case --gpu v100 --set gpu.sm_count=2 --set gpu.channels=1 --json "$1.json" "${@:2}"; }
few complete
few sampled --sample error=3%,after=1000
expect_text "$out" "sum T = 614400"
expect_text "$out" "sampled: 0 of 1 launches timed whole, 1 in part, 0 projected; 40.0 % of the warp instructions timed"
truth=$(total complete cycles)
low=$(total sampled sampling.cycles_low) high=$(total sampled sampling.cycles_high)
[ "$low" -le "$truth" ] && [ "$truth" -le "$high" ] || fail "$truth cycles are not in $low..$high"
few again --sample error=3%,after=1000 --no-skip
cmp <(strip sampled) <(strip again) || fail "skipped cycles change a sampled run"

# ---- fast-forward and checkpoints

launches() { sed -n 's/^      "cycles": \([0-9]*\),$/\1/p' "$1.json" | paste -sd ' '; }
run 0 skipped --skip-kernels 4
expect_text "$out" "4 of 6 launches ran without timing"
expect_text "$out" "sum A = 4.11160781e+10"
run 0 written --skip-kernels 4 --checkpoint state
run 0 restored --restore state
expect_text "$out" "sum A = 4.11160781e+10"
[ -n "$(launches written)" ] && [ "$(launches written)" = "$(launches restored)" ] ||
  fail "cycles behind a checkpoint: $(launches written), restored $(launches restored)"
[ "$(launches skipped)" = "$(launches written)" ] || fail "writing a checkpoint changes cycles"
run 0 forward --fast-forward 400000
expect_text "$out" "3 of 6 launches ran without timing"  # 170,240 warp instructions each

head -c 1000 state >cut
run 2 none --restore cut
expect_text "$err" "--restore cut: incomplete file; make the checkpoint again"
echo "not a checkpoint of anything, but long enough to have a head, which this is: 0123456789" >text
run 2 none --restore text
expect_text "$err" "--restore text: not a checkpoint of this version of heddle"
run 2 none --restore missing
expect_text "$err" "--restore: cannot open missing"
sed 's/128 1 1/64 1 1/' steps.case >other.case
expect_exit 1 "$HEDDLE" run other.case --gpu tiny --restore state
expect_text "$err" "the program's first 4 launches differ from those of the checkpoint"
sed 's/alloc B 1146880/alloc B 1147136/' steps.case >other.case
expect_exit 1 "$HEDDLE" run other.case --gpu tiny --restore state
expect_text "$err" "the program's allocations differ from those of the checkpoint"

# ---- studies

expect_exit 0 "$HEDDLE" compare hotspot --sample error=3% --print-study
expect_text "$out" "sample = error=3%"
