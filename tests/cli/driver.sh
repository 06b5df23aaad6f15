# SPDX-License-Identifier: MIT
# Programs of the driver API, in the habits of the CUDA samples, built with
# heddle cc and, where it is installed, with nvcc; device code from PTX and from
# fat binaries.
. "$HEDDLE_SOURCE/tests/cli/common"

build=$(dirname "$HEDDLE")
programs=$HEDDLE_SOURCE/tests/cuda/driver

# Runs a program without time and looks for its last line.
passes() {  # NAME [ARGUMENTS...]
  expect_exit 0 "$HEDDLE" run --functional --quiet -- "$scratch/$@"
  expect_text "$out" "PASSED"
}

each_program() {  # IMAGE...: runs every program with each image of its device code
  local source name image
  for source in "$programs"/*.cpp; do
    name=$(basename "$source" .cpp)
    for image in "$@"; do passes "$name" "$image"; done
  done
}

# ---- with heddle cc

command -v clang >/dev/null || skip "no clang here: nothing to compile with"
[ -e "$build/cuda/nvvm/libdevice/libdevice.10.bc" ] || skip "libclc was not there at build time"
expect_exit 0 "$HEDDLE" cc -ptx "$programs/kernels.cu" -o "$scratch/kernels.ptx"
expect_exit 0 "$build/cuda/bin/fatbinary" --create "$scratch/kernels.fatbin" \
  --image=profile=compute_70,file="$scratch/kernels.ptx"
for source in "$programs"/*.cpp; do
  expect_exit 0 "$HEDDLE" cc "$source" -lcuda -o "$scratch/$(basename "$source" .cpp)"
done
each_program "$scratch/kernels.ptx" "$scratch/kernels.fatbin"

# With time: the same results, and every kernel in the JSON.
expect_exit 0 "$HEDDLE" run --json "$scratch/out.json" -- "$scratch/vector_add" "$scratch/kernels.ptx"
expect_text "$out" "PASSED"
[ "$(grep -c '"name": "vector_add"' "$scratch/out.json")" = 5 ] || fail "five launches are not in the JSON"
