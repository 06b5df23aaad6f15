# SPDX-License-Identifier: MIT
# What heddle cluster writes compiles with NVIDIA's nvcc as well, without warnings, and
# computes the same.
. "$HEDDLE_SOURCE/tests/cli/common"

[ -e "$(dirname "$HEDDLE")/libheddle_cluster.so" ] || skip "this Heddle was built without libclang"
find_nvcc || skip "nvcc not found"
find_runner
programs=$HEDDLE_SOURCE/tests/cluster

while read -r name options; do
  # shellcheck disable=SC2086
  expect_exit 0 "$HEDDLE" cluster "$programs/$name.cu" $options -o "$scratch/$name.cu" -- -I "$programs"
  "$nvcc" -cudart shared -arch=compute_75 -I "$(dirname "$HEDDLE")/include" -I "$programs" -Xcompiler -Wall,-Werror \
    --Werror all-warnings -o "$scratch/$name" "$scratch/$name.cu" >"$scratch/log" 2>&1 || fail "$name: $(cat "$scratch/log")"
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu gtx1080 --quiet -- "$scratch/$name"
  expect_text "$out" PASSED
done <<END
templates --prefetch
early_return --method agents
matrix_multiply --method redirection
END

# A program of the paper. The host compiler does not know its #pragma unroll.
workloads=$HEDDLE_SOURCE/workloads
expect_exit 0 "$HEDDLE" cluster "$workloads/sgemm/sgemm.cu" --prefetch -o "$scratch/sgemm.cu" -- -I "$workloads" -std=c++14
"$nvcc" -cudart shared -O3 -std=c++17 -arch=compute_75 -I "$(dirname "$HEDDLE")/include" -I "$workloads" -I "$workloads/sgemm" \
  -Xcompiler -Wno-unknown-pragmas,-Wall,-Wextra,-Werror --Werror all-warnings -o "$scratch/sgemm" "$scratch/sgemm.cu" >"$scratch/log" 2>&1 ||
  fail "sgemm: $(cat "$scratch/log")"
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu gtx1080 --quiet -- "$scratch/sgemm" --size tiny
