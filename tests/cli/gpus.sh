# SPDX-License-Identifier: MIT
# Every GPU that ships is listed, loads, and runs a kernel to the right sum.
. "$HEDDLE_SOURCE/tests/cli/common"

expect_exit 0 "$HEDDLE" list gpus
listed=$(awk 'NR > 1 { print $1 }' <<<"$out")
for name in gtx480 gtx480-3.2 gtx570 k40 gtx980 gtx1080 laser13 clustered60 apres15 v100 titanv p100 a100 \
  rtx2080ti rtx3070 rtx3080 rtx4070 rtx4090 h100 tiny; do
  grep -qx -- "$name" <<<"$listed" || fail "$name is not listed"
done

# What one compares them by.
row() { grep "^$1 " <<<"$out" | tr -s ' '; }
[ "$(row gtx480)" = "gtx480 2.0 15 700 48 8 32768 48 16 768 177 1536 yes" ] || fail "gtx480: $(row gtx480)"
[ "$(row tiny)" = "tiny 2.0 2 1000 8 4 8192 16 16 128 30 64 no" ] || fail "tiny: $(row tiny)"
[ "$(row titanv)" = "titanv 7.0 80 1335 64 32 65536 96 32 4608 653 12288 no" ] || fail "titanv: $(row titanv)"
[ "$(row p100)" = "p100 6.0 56 1328 64 32 65536 64 24 4096 732 16384 no" ] || fail "p100: $(row p100)"
[ "$(row rtx3070)" = "rtx3070 8.6 46 1500 48 16 65536 100 32 4096 448 8192 no" ] || fail "rtx3070: $(row rtx3070)"
[ "$(row rtx2080ti)" = "rtx2080ti 7.5 68 1350 32 16 65536 64 32 5632 616 11264 no" ] || fail "rtx2080ti: $(row rtx2080ti)"
[ "$(row rtx3080)" = "rtx3080 8.6 68 1440 48 16 65536 100 32 5120 760 10240 no" ] || fail "rtx3080: $(row rtx3080)"
[ "$(row rtx4070)" = "rtx4070 8.9 46 1920 48 24 65536 100 32 36864 504 12288 no" ] || fail "rtx4070: $(row rtx4070)"
[ "$(row rtx4090)" = "rtx4090 8.9 128 2235 48 24 65536 100 32 73728 1008 24576 no" ] || fail "rtx4090: $(row rtx4090)"
[ "$(row h100)" = "h100 9.0 114 1755 64 32 65536 228 32 51200 2039 81920 no" ] || fail "h100: $(row h100)"
expect_text "$(head -n 1 <<<"$out" | tr -s ' ')" "CC SMs MHz warps/SM CTAs/SM registers/SM shared KB/SM L1 KB/SM L2 KB DRAM GB/s memory MB energy"

for name in $listed; do
  expect_exit 0 "$HEDDLE" list params --gpu "$name"
  expect_text "$(grep '^gpu.name ' <<<"$out")" "$name"
  expect_exit 0 "$HEDDLE" run --gpu "$name" --set run.max_cycles=1000000 "$cases/vecadd_20k.case"
  expect_text "$out" "sum C = 209848320"
done

# Table 4 of "A Cache Behavior Aware Multithreading Degree Decision Scheme on
# GPGPUs" (2014), measured on GPGPU-Sim 3.2.1: vector addition on one
# SM without an L2, 1 to 7 CTAs of two warps at a time; within 10 %.
ctas=0
for expected in 197157 100867 67506 50857 40823 34682 29757; do
  ctas=$((ctas + 1))
  expect_exit 0 "$HEDDLE" run --gpu gtx480-3.2 --set gpu.sm_count=1 --set l2.enabled=false \
    --set sm.max_ctas=$ctas --json - "$cases/vecadd_20k.case"
  cycles=$(sed -n 's/^ *"cycles": \([0-9]*\),*$/\1/p' <<<"$out" | head -1)
  awk -v a="$cycles" -v b="$expected" 'BEGIN { exit !(a > 0.9 * b && a < 1.1 * b) }' ||
    fail "$ctas CTAs take $cycles cycles, the thesis says $expected"
done

# The optimising pass is a property of the GPU, and can be switched off and on.
instructions() {
  expect_exit 0 "$HEDDLE" run --functional --json - "$@" "$cases/vecadd_20k.case"
  sed -n 's/^ *"warp_instructions": \([0-9]*\),*$/\1/p' <<<"$out" | head -1
}
optimised=$(instructions --gpu v100) written=$(instructions --gpu gtx480)
[ "$optimised" -lt "$written" ] || fail "v100: $optimised warp instructions, gtx480 $written"
[ "$(instructions --gpu v100 --set compiler.optimise=false)" = "$written" ] || fail "the pass cannot be switched off"
[ "$(instructions --gpu gtx480 --set compiler.optimise=true --set compiler.architecture=70)" = "$optimised" ] ||
  fail "the pass cannot be switched on"
fermi=$(instructions --gpu gtx570)
[ "$fermi" -lt "$written" ] || fail "gtx570: $fermi warp instructions, gtx480 $written"
[ "$(instructions --gpu gtx480 --set compiler.optimise=true)" = "$fermi" ] ||
  fail "the pass does not compile for the GPU's architecture"
