# SPDX-License-Identifier: MIT
# make hardware: one small kernel of the table, its counters beside the V100's, and the plot.
. "$HEDDLE_SOURCE/tests/cli/common"
need_cc
hardware=$(dirname "$HEDDLE")/bench/hardware
folder=$HEDDLE_SOURCE/bench/hardware

expect_exit 0 "$hardware" "$HEDDLE" "$folder" v100 "$scratch/plot.svg" 2DCT
row() { grep "^CUDAkernel2DCT  *$1 " <<<"$out" | tr -s ' ' | cut -d ' ' -f 3-5; }
# What a launch asks of memory depends on the kernel alone, and equals what the V100 counted.
for counter in l1_read_miss_sectors l1_write_sectors l2_read_miss_sectors l2_write_sectors; do
  [ "$(row $counter)" = "32,768 32,768 +0.0" ] || fail "$counter: $(row $counter)"
done
[ "$(row shared_instructions)" = "49,152 49,152 +0.0" ] || fail "$(row shared_instructions)"
expect_text "$(row cuda-samples-11.0)" "5,823 "
expect_text "$out" "cycles of 1 kernels: off by"
[ "$(grep -c "<circle" "$scratch/plot.svg")" = 1 ] || fail "the plot has not one point"
expect_text "$(cat "$scratch/plot.svg")" ">CUDAkernel2DCT</text>"

# Options go on to heddle run: with 20 SMs it takes longer than with 80.
cycles() { grep "cuda-samples" <<<"$out" | tr -s ' ' | cut -d ' ' -f 4 | tr -d ,; }
eighty=$(cycles)
expect_exit 0 "$hardware" "$HEDDLE" "$folder" v100 "$scratch/plot.svg" 2DCT --set gpu.sm_count=20
[ "$(cycles)" -gt "$eighty" ] || fail "$(cycles) cycles with 20 SMs, $eighty with 80"

# Programs that another compiler built, under the names of the workloads.
mkdir "$scratch/built"
"$HEDDLE" cc -O3 -I "$HEDDLE_SOURCE/workloads" -o "$scratch/built/dct8x8" "$HEDDLE_SOURCE/workloads/dct8x8/dct8x8.cu"
expect_exit 0 "$hardware" --programs "$scratch/built" "$HEDDLE" "$folder" v100 "$scratch/plot.svg" 2DCT
[ "$(row shared_instructions)" = "49,152 49,152 +0.0" ] || fail "$(row shared_instructions)"
expect_exit 1 "$hardware" --programs "$scratch/nosuch" "$HEDDLE" "$folder" v100 "$scratch/plot.svg" 2DCT
expect_text "$err" "CUDAkernel2DCT: "

expect_exit 1 "$hardware" "$HEDDLE" "$folder" v100 "$scratch/plot.svg" nosuchkernel
expect_text "$err" "no kernel has 'nosuchkernel' in its name"
