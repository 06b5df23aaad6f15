# SPDX-License-Identifier: MIT
# make hardware PROGRAMS=folder: a program's launch by number, name and shape; table, plot, resumption.
. "$HEDDLE_SOURCE/tests/cli/common"
need_cc
programs=$(dirname "$HEDDLE")/bench/hardware_programs

mkdir "$scratch/suite"
cat >"$scratch/suite/add.cu" <<'END'
__global__ void add(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
int main() {
  float *a;
  cudaMalloc(&a, 4096);
  add<<<1, 32>>>(a);
  add<<<8, 128>>>(a);
  add<<<8, 128>>>(a);
  return cudaDeviceSynchronize();
}
END
"$HEDDLE" cc -o "$scratch/suite/add" "$scratch/suite/add.cu"
header="half\tprogram\targuments\tcaches\tkernel\tlaunch\tgrid\tblock\ttime_us\tdram_bytes\n"
row() { printf "%s\t%s\t\tcold\tadd\t%d\t%s\t%s\t%s\t0\n" "$@"; }
{
  printf "$header"
  row fit add 1 8x1x1 128x1x1 5
  row held add 0 8x1x1 128x1x1 5
  row held missing 0 8x1x1 128x1x1 5
  row held add 2 8x1x1 128x1x1 500
} >"$scratch/table.tsv"

compare() { expect_exit "$1" "$programs" "$HEDDLE" "$scratch/table.tsv" "$scratch/suite" rtx3080 "$scratch/out" 100 "${@:2}"; }
compare 0 fit
expect_text "$out" "fit     1 kernels: off by"
[ "$(tail -1 "$scratch/out.csv" | cut -d, -f 1-6)" = "fit,add,add,1,8x1x1,128x1x1" ] || fail "$(cat "$scratch/out.csv")"
# The launch meets cold caches: 8 x 128 words of 4 bytes, and a little code, from DRAM.
bytes=$(tail -1 "$scratch/out.csv" | cut -d, -f 11)
[ "$bytes" -ge 4096 ] && [ "$bytes" -lt 5120 ] || fail "$bytes bytes from DRAM"
expect_text "$out" "best of these: add, simulated: add, which takes 0.0 % longer on hardware"
[ "$(grep -c "<circle" "$scratch/out.svg")" = 1 ] || fail "the plot has not one point"

# What is done is not run again; a launch of another shape and a missing program are told apart.
compare 1 ""
expect_text "$err" "1/2 add"
expect_text "$out" "launch 0 is _Z3addPf, 1x1x1, 32x1x1"
expect_text "$(tr -s ' ' <<<"$out")" "missing not built"
expect_text "$out" "all     1 kernels"

# Results of other options are not continued.
compare 0 fit --set gpu.host_launch_cycles=9000
[ "$(cut -d, -f 8 "$scratch/out.csv" | tail -1 | cut -d. -f 1)" -ge 6 ] || fail "$(cat "$scratch/out.csv")"

expect_exit 2 "$programs" "$HEDDLE" "$scratch/table.tsv" "$scratch/nosuch" rtx3080 "$scratch/out"
expect_text "$err" "no such folder"
compare 1 nosuchkernel
expect_text "$err" "no row has 'nosuchkernel' in its name"
