# SPDX-License-Identifier: MIT
# Programs of the driver API, in the habits of the CUDA samples, built with
# heddle cc and, where it is installed, with nvcc; device code from PTX and from
# fat binaries.
. "$HEDDLE_SOURCE/tests/cli/common"

build=$(dirname "$HEDDLE")
programs=$HEDDLE_SOURCE/tests/cuda/driver
sources=$(ls "$programs"/*.cpp "$programs"/*.cu | grep -v /kernels.cu)

find_runner

name_of() {
  local file=${1##*/}
  echo "${file%.*}"
}

# Runs every program without time, with each image of its device code, and
# looks for its last line.
all_pass() {  # IMAGE...
  local source image
  for source in $sources; do
    for image in "$@"; do
      expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional --quiet -- "$scratch/$(name_of "$source")" "$image"
      expect_text "$out" "PASSED"
    done
  done
}

# ---- with heddle cc

need_cc
expect_exit 0 "$HEDDLE" cc -ptx "$programs/kernels.cu" -o "$scratch/kernels.ptx"
expect_exit 0 "$HEDDLE" cc -fatbin "$programs/kernels.cu" -o "$scratch/kernels.fatbin"
for source in $sources; do
  expect_exit 0 "$HEDDLE" cc "$source" -lcuda -ldl -o "$scratch/$(name_of "$source")"
done
all_pass "$scratch/kernels.ptx" "$scratch/kernels.fatbin"

# With time: the same results, and every kernel in the JSON.
expect_exit 0 "${runner[@]}" "$HEDDLE" run --json "$scratch/out.json" -- "$scratch/vector_add" "$scratch/kernels.ptx"
expect_text "$out" "PASSED"
[ "$(grep -c '"name": "vector_add"' "$scratch/out.json")" = 5 ] || fail "five launches are not in the JSON"

# A fat binary that was cut off, and a mistake that nobody gave a log for.
head -c 2000 "$scratch/kernels.fatbin" >"$scratch/cut.fatbin"
expect_exit 1 "${runner[@]}" "$HEDDLE" run --functional --quiet -- "$scratch/vector_add" "$scratch/cut.fatbin"
expect_text "$err" "CUDA_ERROR_INVALID_IMAGE"
sed 's/ret;/rat;/' "$scratch/kernels.ptx" >"$scratch/wrong.ptx"
expect_exit 1 "${runner[@]}" "$HEDDLE" run --functional --quiet -- "$scratch/vector_add" "$scratch/wrong.ptx"
expect_text "$err" "CUDA_ERROR_INVALID_PTX"
expect_text "$err" "rat"

# ---- with nvcc

find_nvcc || exit 0
# nvcc may be a script elsewhere that calls the real one: it knows where its headers are.
toolkit=$("$nvcc" --dryrun "$programs/kernels.cu" 2>&1 | sed -n "s|^#\$ TOP=||p")
run_nvcc() {
  "$nvcc" "$@" >"$scratch/log" 2>&1 || fail "nvcc $*: $(cat "$scratch/log")"
}
run_nvcc -ptx -arch=compute_75 -o "$scratch/kernels.ptx" "$programs/kernels.cu"
run_nvcc -fatbin -o "$scratch/kernels.fatbin" "$programs/kernels.cu"
for source in $sources; do
  run_nvcc -cudart shared -o "$scratch/$(name_of "$source")" "$source" -L"$build" -lcuda -ldl
done
all_pass "$scratch/kernels.ptx" "$scratch/kernels.fatbin"

# NVIDIA's header agrees with ours about every function, and we have all that it
# declares.
cat >"$scratch/agree.c" <<'END'
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaProfiler.h>
#include "heddle/driver_calls.h"
END
expect_exit 0 cc -fsyntax-only -I"$toolkit/include" -iquote "$HEDDLE_SOURCE/cuda/include" "$scratch/agree.c"
nm -D --defined-only "$build/libcuda.so.1" | awk '{ print $3 }' | sort >"$scratch/have"
cc -E -P -D__CUDA_API_VERSION_INTERNAL "$toolkit/include/cuda.h" | tr '\n' ' ' | tr ';' '\n' |
  grep -v typedef | grep -oE 'CUresult +cu[A-Z][A-Za-z0-9_]*\(' | sed 's/CUresult *//; s/(//' | sort -u >"$scratch/want"
[ "$(wc -l <"$scratch/want")" -gt 400 ] || fail "only $(wc -l <"$scratch/want") functions are in the header"
missing=$(comm -13 "$scratch/have" "$scratch/want")
[ -z "$missing" ] || fail "libcuda.so.1 lacks $missing"
