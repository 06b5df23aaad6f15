# SPDX-License-Identifier: MIT
# Programs that nvcc built run unmodified and find their results right, however
# their device code is packed.
. "$HEDDLE_SOURCE/tests/cli/common"
find_runner

find_nvcc || skip "nvcc not found"
programs=$HEDDLE_SOURCE/tests/cuda

build() {  # NAME OPTIONS...: the name is for the reader
  local name=$1
  shift
  "$nvcc" -cudart shared "$@" >"$scratch/log" 2>&1 || fail "nvcc $*: $(cat "$scratch/log")"
}

# Runs a program without time and looks for its last line.
passes() {  # NAME [ARGUMENTS...]
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional --quiet -- "$scratch/$@"
  expect_text "$out" "PASSED"
}

# Everything once, as nvcc does it by itself: PTX and machine code, ZSTD.
# A source that needs options says so in a line "// nvcc: OPTIONS".
for source in "$programs"/*.cu; do
  name=$(basename "$source" .cu)
  case $name in parts_*) continue ;; esac
  build "$name" $(sed -n "s|^// nvcc: ||p" "$source") -o "$scratch/$name" "$source"
  passes "$name"
done

# Device code packed in other ways, for the oldest and the newest target.
while read -r name options; do
  build "$name" $options -o "$scratch/$name" "$programs/$name.cu"
  passes "$name"
done <<'END'
symbols -arch=compute_75 -no-compress
symbols -arch=compute_75 -compress-mode=speed
symbols -arch=compute_75 -compress-mode=size
textures -arch=compute_100
textures -arch=compute_75 -G
symbols -arch=compute_75 -rdc=true
threads -arch=compute_75 -default-stream=per-thread
END

# On a GPU that is newer than the program: CUB launches what was compiled.
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional --quiet --gpu a100 -- "$scratch/libraries"
expect_text "$out" "PASSED"

build parts -rdc=true -o "$scratch/parts" "$programs"/parts_*.cu
passes parts

# With time: the same results, a table and JSON with each kernel.
build matmul -o "$scratch/matmul" "$programs/matmul.cu"
expect_exit 0 "${runner[@]}" "$HEDDLE" run --json "$scratch/matmul.json" -- "$scratch/matmul" 32
expect_text "$out" "PASSED"
expect_text "$out" "matmul on gtx480"
[ "$(grep -c '"name": "_Z8multiply' "$scratch/matmul.json")" = 3 ] || fail "three kernels are not in the JSON"
expect_text "$(cat "$scratch/matmul.json")" '"complete": true'

# By hand, with the library path only.
echo '{"functional": true}' >"$scratch/run.json"
expect_exit 0 "${runner[@]}" env LD_LIBRARY_PATH="$(dirname "$HEDDLE")" HEDDLE_RUN="$scratch/run.json" "$scratch/printing"
expect_text "$out" "before 0
kernel 0 thread 0 of block
kernel 0 thread 1 of block
kernel 0 thread 2 of block
after 0
before 1"

# Machine code alone is refused with what to do about it.
build matmul -gencode arch=compute_80,code=sm_80 -o "$scratch/sass" "$programs/matmul.cu"
expect_exit 2 "${runner[@]}" "$HEDDLE" run --functional -- "$scratch/sass"
expect_text "$err" "nvcc -gencode arch=compute_80,code=compute_80"

# Machine code for a GPU of the same major number has ptxas's registers per thread, in relocatable
# code only once it is linked; on other GPUs they are estimated, without -maxrregcount, which ptxas
# alone knows.
cat >"$scratch/sums.cu" <<'END'
#include <cstdio>
__device__ float value(float x, int i);
__global__ void sums(float *x) {
  float s[32] = {};
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 32; j++) s[j] = s[j] * x[i] + value(x[j], i);
  for (int j = 0; j < 32; j++) x[j * 32 + threadIdx.x] = s[j];
}
__device__ float value(float x, int i) { return x + i; }
int main() {
  cudaFuncAttributes of;
  cudaError_t error = cudaFuncGetAttributes(&of, sums);
  printf("%d registers\n", of.numRegs);
  return error;
}
END
registers_on() {  # GPU
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional --quiet --gpu "$1" -- "$scratch/sums"
  echo "${out% registers}"
}
for options in -rdc=false -rdc=true; do
  build sums $options -maxrregcount=32 -gencode "arch=compute_86,code=[sm_86,compute_86]" -o "$scratch/sums" "$scratch/sums.cu"
  for gpu in rtx3080 a100; do
    registers=$(registers_on $gpu)
    [ "$registers" = 32 ] || fail "$options: $registers registers on $gpu instead of ptxas's 32"
  done
  registers=$(registers_on h100)
  [ "$registers" -gt 32 ] || fail "$options: $registers registers on a GPU without machine code"
done
