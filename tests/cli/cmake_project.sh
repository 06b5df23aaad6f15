# SPDX-License-Identifier: MIT
# A CMake project with LANGUAGES CUDA configures, builds and runs with our nvcc: compiler
# identification, several architectures, separable compilation with a library, dependency
# files and options files, CUDAToolkit; and a makefile with NVCC=.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
command -v cmake >/dev/null && command -v make >/dev/null || skip "no cmake here"
find_runner
cuda=$(dirname "$HEDDLE")/cuda
mkdir "$scratch/source"
cd "$scratch"

cat >source/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(demo LANGUAGES CXX CUDA)
find_package(CUDAToolkit 11.5 REQUIRED)
add_library(part STATIC part.cu)
set_target_properties(part PROPERTIES CUDA_SEPARABLE_COMPILATION ON POSITION_INDEPENDENT_CODE ON)
add_executable(demo main.cu host.cpp)
set_target_properties(demo PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_ARCHITECTURES "70;75" CUDA_STANDARD 17)
target_compile_options(demo PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--use_fast_math -lineinfo>)
target_link_libraries(demo part CUDA::cudart)
END
echo '__device__ int twice(int x);' >source/part.h
printf '#include "part.h"\n__device__ int twice(int x) { return 2 * x; }\n' >source/part.cu
printf '#include <cuda_runtime.h>\nint host() { int n = 0; cudaGetDeviceCount(&n); return n; }\n' >source/host.cpp
cat >source/main.cu <<'END'
#include <cstdio>
#include "part.h"
int host();
__global__ void k(int *p) { *p = twice(21); }
int main() {
  int *p;
  cudaMallocManaged(&p, sizeof *p);
  k<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  printf("%d on %d device\n", *p, host());
  return *p != 42;
}
END
expect_exit 0 cmake -S source -B build -G "Unix Makefiles" -DCMAKE_CUDA_COMPILER="$cuda/bin/nvcc"
expect_text "$out" "The CUDA compiler identification is NVIDIA 11.5.0"
expect_text "$out" "Found CUDAToolkit: $(realpath "$cuda")/include"
expect_exit 0 cmake --build build
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- build/demo
expect_text "$out" "42 on 1 device"
# A header that changes has its sources compiled again, and only those.
expect_exit 0 cmake --build build
case $out in *Building*) fail "built again: $out" ;; esac
sleep 0.1
touch source/part.h
expect_exit 0 cmake --build build
[ "$(grep -c 'Building CUDA' <<<"$out")" = 2 ] || fail "not both sources: $out"

printf 'NVCC = nvcc\nmade: source/main.cu source/part.cu source/host.cpp\n\t$(NVCC) -rdc=true -arch=sm_75 -O3 -o $@ $^\n' >Makefile
expect_exit 0 make NVCC="$cuda/bin/nvcc" made
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- ./made
expect_text "$out" "42 on 1 device"
