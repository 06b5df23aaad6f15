# SPDX-License-Identifier: MIT
# What heddle run cannot run as it is: the message gives the commands by which it can, and they work.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"
PATH=$(dirname "$HEDDLE"):$PATH

refused() {  # PART-OF-MESSAGE WORD...
  local part=$1
  shift
  expect_exit 2 "$HEDDLE" run "$@"
  expect_text "$err" "$part"
  [ -z "$out" ] || fail "printed '$out' for $*"
}

# ---- PTX: the case file of the message runs

cp "$HEDDLE_SOURCE/tests/reference/ref.ptx" .
mkdir sub
cp ref.ptx sub
for path in ref.ptx sub/ref.ptx; do
  refused "$path is PTX, without a launch configuration; write a case file, such as ${path%.ptx}.case" $path
  sed -n '/^  ptx /,/^  launch /s/^  //p' <<<"$err" >"${path%.ptx}.case"
  grep -q '^launch vecadd 1 1 1 32 1 1 $p0 $p1 $p2$' "${path%.ptx}.case" || fail "no launch: $err"
  command=$(sed -n 's/^  heddle /heddle /p' <<<"$err")
  [ "$command" = "heddle run ${path%.ptx}.case" ] || fail "the command is '$command'"
  expect_exit 0 $command --gpu tiny
  expect_text "$out" "vecadd  grid 1, block 32,"
done
refused "ref.ptx is PTX" -- ref.ptx
echo '.version 6.0 .target sm_50 .address_size 64 .visible .entry k() { nop }' >bad.ptx
refused "bad.ptx:1" bad.ptx
printf '.version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .align 4 .b8 s[12]) { ret; }\n' >struct.ptx
refused "without a kernel that a case file can launch" struct.ptx
printf '.version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .f32 x, .param .u32 n, .param .f64 y) { ret; }\n' >numbers.ptx
refused "  launch k 1 1 1 32 1 1 f:1 i:1 f:1" numbers.ptx

# ---- other files

printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\276\0' >k.cubin
refused "k.cubin is machine code of a GPU (a cubin)" k.cubin
refused "k.cubin is machine code of a GPU (a cubin)" -- ./k.cubin
printf '\120\355\125\272\1\0' >k.fatbin
refused "k.fatbin is a fat binary" k.fatbin
refused "sub is a directory; run a case file" sub
refused "./sub is a directory" -- ./sub
printf '#!/bin/sh\nexec true\n' >script
refused "script is a script; use heddle run -- ./script" script
cp "$HEDDLE" other
refused "other is a program; use heddle run -- ./other" other
refused "cannot open none.cu: No such file" none.cu
refused "cannot open none.ptx: No such file" -- none.ptx
refused "'none' is neither a case file nor a workload" none
# A workload is found whatever files there are.
mkdir matrixMul
refused "size huge: expected" matrixMul --size huge

# ---- comparisons

for path in ref.ptx ./ref.ptx; do
  expect_exit 2 "$HEDDLE" compare $path --schemes lrr --db none.db
  expect_text "$err" "$path is PTX"
done
[ ! -e none.db ] || fail "a comparison of PTX has a store"

# ---- sources: the commands of the message work

cat >prog.cu <<'END'
#include <cstdio>
__global__ void add(int *x) { x[threadIdx.x] += 1; }
int main() {
  int *x;
  cudaMallocManaged(&x, 128);
  add<<<1, 32>>>(x);
  return cudaDeviceSynchronize() || x[31] != 1;
}
END
refused $'prog.cu is a source file; build a program from it, and run that:\n  heddle cc prog.cu -o prog\n  heddle run -- ./prog' prog.cu
touch sub/prog.c
refused $'  heddle cc sub/prog.c -o sub/prog\n  heddle run -- sub/prog' -- sub/prog.c
expect_exit 2 "$HEDDLE" compare prog.cu --schemes lrr
expect_text "$err" "  heddle cc prog.cu -o prog"
can_compile || { skip_part "clang not found: sources are not compiled"; exit 0; }
find_runner
"$HEDDLE" cc prog.cu -o prog
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu tiny -- ./prog
expect_text "$out" "add"
refused "./prog is a program; use heddle run -- ./prog" ./prog
"$HEDDLE" cc -c prog.cu -o prog.o
refused $'prog.o is an object file; build a program from it, and run that:\n  heddle cc prog.o -o prog\n' prog.o
"$HEDDLE" cc prog.o -o prog
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu tiny -- ./prog
