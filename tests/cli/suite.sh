# SPDX-License-Identifier: MIT
# tools/suite builds and runs a folder of programs and says what passed, what failed and why.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
command -v make >/dev/null || skip "no make here"
find_runner
mkdir -p "$scratch/programs"/{good,made,wrong,broken,idle}
cd "$scratch/programs"
kernel='__global__ void k(int *p) { *p = 7; }
int main(int argc, char **) { int *p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize();'
printf '%s return *p != 7; }\n' "$kernel" >good/a.cu
printf '%s return argc != 2; }\n' "$kernel" >made/b.cu
printf 'prog: b.cu\n\t$(NVCC) b.cu -o prog\nrun: prog\n\t$(LAUNCHER) ./prog 1\n' >made/Makefile
printf '#include <cstdio>\n%s puts("FAILED: 3"); return 0; }\n' "$kernel" >wrong/c.cu
printf '#include <nccl.h>\nint main() { return 0; }\n' >broken/d.cu
printf '__global__ void k() {}\nint main() { cudaFree(0); return 0; }\n' >idle/e.cu
cd "$scratch"

expect_exit 0 "${runner[@]}" "$HEDDLE_SOURCE/tools/suite" programs --build "$(dirname "$HEDDLE")" --timed tiny
expect_text "$err" "2 of 5 programs passed"
cut -f 1,2 <<<"$out" >verdicts
printf '%s\t%s\n' broken "no build" good passed idle "no kernel" made passed wrong failed | diff - verdicts || fail "$out"
expect_text "$(grep ^broken <<<"$out")" "nccl.h' file not found"
expect_text "$(grep ^wrong <<<"$out")" "FAILED: 3"
[ "$(find programs -type f | wc -l)" = 6 ] || fail "the folder was changed"

# Another compiler: it alone knows what `broken` includes.
mkdir include && echo '__global__ void k() {} inline int run() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }' >include/nccl.h
printf '#!/bin/sh\nexec "%s" cc -I"%s/include" "$@"\n' "$HEDDLE" "$scratch" >other_nvcc
chmod +x other_nvcc
sed -i 's/return 0/return run()/' programs/broken/d.cu
expect_exit 0 "${runner[@]}" "$HEDDLE_SOURCE/tools/suite" programs/broken --build "$(dirname "$HEDDLE")" --compiler ./other_nvcc
expect_text "$err" "1 of 1 programs passed"
expect_exit 2 "$HEDDLE_SOURCE/tools/suite" programs --build "$(dirname "$HEDDLE")" --compiler no_such_nvcc
expect_text "$err" "no_such_nvcc: no such compiler"
expect_exit 2 "$HEDDLE_SOURCE/tools/suite" no_such_folder
expect_text "$err" "tools/suite FOLDER"
