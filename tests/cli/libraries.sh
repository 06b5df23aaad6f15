# SPDX-License-Identifier: MIT
# CUDA's libraries on the simulated GPU: results against the host's, what is missing says so,
# and programs that nvcc linked with NVIDIA's use ours.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
find_runner
cd "$scratch"

expect_exit 0 "$HEDDLE" cc -O2 -std=c++14 "$HEDDLE_SOURCE/tests/cc/libraries/cublas.cu" -lcublas -lcublasLt -o cublas
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional --json cublas.json -- ./cublas
expect_text "$out" PASSED
jq -e '[.kernels[].readable_name] | any(startswith("multiply_matrices"))' cublas.json >jq.txt || fail "no kernel of the library"

# Tensor cores where the GPU has them, and only there: the compute capability, and their kernels.
expect_exit 0 "$HEDDLE" cc -O1 -std=c++14 "$HEDDLE_SOURCE/tests/cc/libraries/cublas_tensor.cu" -lcublas -lcublasLt -o tensor
while read -r gpu capability kernel; do
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional --gpu "$gpu" --json tensor.json -- ./tensor "$capability"
  expect_text "$out" PASSED
  used=$(jq -r '.kernels[].readable_name' tensor.json | sed -n -E 's/.*(multiply_(by_wmma|on_tensor_cores)).*/\1/p' | sort -u)
  [ "$used" = "$kernel" ] || fail "$gpu: '$used' and not '$kernel'"
done <<'END'
gtx1080 61
v100 70 multiply_by_wmma
rtx2080ti 75 multiply_on_tensor_cores
a100 80 multiply_on_tensor_cores
END

expect_exit 0 "$HEDDLE" cc -O1 -std=c++14 "$HEDDLE_SOURCE/tests/cc/libraries/cublas_complex.cu" -lcublas -o cublas_complex
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- ./cublas_complex
expect_text "$out" PASSED

expect_exit 0 "$HEDDLE" cc -O1 -std=c++14 "$HEDDLE_SOURCE/tests/cc/libraries/cublas_legacy.cu" -lcublas -o cublas_legacy
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- ./cublas_legacy
expect_text "$out" PASSED

expect_exit 0 "$HEDDLE" cc -O2 -std=c++14 "$HEDDLE_SOURCE/tests/cc/libraries/curand.cu" -lcurand -o curand
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- ./curand
expect_text "$out" PASSED

expect_exit 0 "$HEDDLE" cc -O2 -std=c++14 "$HEDDLE_SOURCE/tests/cc/libraries/cufft.cu" -lcufft -o cufft
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- ./cufft
expect_text "$out" PASSED
expect_text "$err" "heddle: cuFFT: cufftXtSetCallback is not supported"

expect_exit 0 "$HEDDLE" cc -O1 -std=c++14 "$HEDDLE_SOURCE/tests/cc/libraries/cusparse.cu" -lcusparse -o cusparse
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- ./cusparse
expect_text "$out" PASSED

expect_exit 0 "$HEDDLE" cc -O1 -std=c++14 "$HEDDLE_SOURCE/tests/cc/libraries/cusolver.cu" -lcusolver -o cusolver
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- ./cusolver
expect_text "$out" PASSED

expect_exit 0 "$HEDDLE" cc -O1 -std=c++14 "$HEDDLE_SOURCE/tests/cc/libraries/cusolver_sparse.cu" \
  -lcusolver -lcusparse -o cusolver_sparse
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- ./cusolver_sparse
expect_text "$out" PASSED

# A program in C++ without kernels, by the host's compiler; a call that is not provided.
cat >host.cpp <<'END'
#include <cublas_v2.h>
#include <cstdio>
extern "C" int cublasCgbmv_v2(...);
int main() {
  cublasHandle_t handle;
  if (cublasCreate(&handle)) return 1;
  printf("status %d\n", cublasCgbmv_v2(handle));
  char1 factor = make_char1(2);
  float *x, two = factor.x, sum = 0;
  cudaMalloc((void **)&x, 8 * sizeof *x);
  const float values[8] = {1, 2, 3, 4, 5, 6, 7, -8};
  cublasSetVector(8, sizeof *x, values, 1, x, 1);
  cublasSscal(handle, 8, &two, x, 1);
  cublasSasum(handle, 8, x, 1, &sum);
  printf("sum %g\n", sum);
  return cublasDestroy(handle);
}
END
cuda=$(dirname "$HEDDLE")/cuda
expect_exit 0 "$(command -v g++ || command -v clang++)" host.cpp -I"$cuda/include" -L"$cuda/lib64" -lcublas -lcudart -o host
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- ./host
expect_text "$out" "status 15"
expect_text "$out" "sum 72"
expect_text "$err" "heddle: cuBLAS: cublasCgbmv_v2 is not supported"

find_nvcc || exit 0
"$nvcc" host.cpp -x cu -o by_nvcc -lcublas >log 2>&1 || exit 0  # no cuBLAS to link with
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- ./by_nvcc
expect_text "$out" "sum 72"
