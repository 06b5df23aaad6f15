# SPDX-License-Identifier: MIT
# A Python process that loads a CUDA library with ctypes, and one that launches PTX through the
# driver API, as launchers written in Python do, use the simulated GPU.
. "$HEDDLE_SOURCE/tests/cli/common"

command -v python3 >/dev/null || skip "python3 not found"
need_cc
find_runner
cd "$scratch"

cat >library.cu <<'END'
__global__ void twice(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2;
}
extern "C" int double_all(int *host, int n) {
  int *p;
  cudaMalloc(&p, n * sizeof(int));
  cudaMemcpy(p, host, n * sizeof(int), cudaMemcpyHostToDevice);
  twice<<<(n + 127) / 128, 128>>>(p, n);
  cudaMemcpy(host, p, n * sizeof(int), cudaMemcpyDeviceToHost);
  return cudaGetLastError();
}
END
cat >user.py <<'END'
import ctypes, os
library = ctypes.CDLL(os.path.abspath('libtwice.so'))
numbers = (ctypes.c_int * 300)(*range(300))
print('error', library.double_all(numbers, 300), list(numbers) == [2 * i for i in range(300)])

ptx = b""".version 6.0
.target sm_50
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 v) {
  .reg .u64 %rd<2>; .reg .u32 %r<4>;
  ld.param.u64 %rd0, [p]; ld.param.u32 %r0, [v];
  ld.global.u32 %r1, [%rd0]; add.u32 %r1, %r1, %r0; st.global.u32 [%rd0], %r1; ret; }"""
driver = ctypes.CDLL('libcuda.so.1')
device, number = ctypes.c_int(), ctypes.c_uint(2)
context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
memory, result = ctypes.c_uint64(), ctypes.c_uint()
arguments = (ctypes.c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(number))
errors = [
    driver.cuInit(0),
    driver.cuDeviceGet(ctypes.byref(device), 0),
    driver.cuCtxCreate_v2(ctypes.byref(context), 0, device),
    driver.cuCtxResetPersistingL2Cache(),
    driver.cuModuleLoadData(ctypes.byref(module), ptx),
    driver.cuModuleGetFunction(ctypes.byref(function), module, b'add'),
    driver.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4)),
    driver.cuMemsetD32_v2(memory, 40, ctypes.c_size_t(1)),
    driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, arguments, None),
    driver.cuMemcpyDtoH_v2(ctypes.byref(result), memory, ctypes.c_size_t(4)),
]
print('sum', result.value, errors)
END
expect_exit 0 "$HEDDLE" cc -shared -Xcompiler -fPIC library.cu -o libtwice.so
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional --json run.json -- python3 user.py
expect_text "$out" "error 0 True"
expect_text "$out" "sum 42 [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]"
[ "$(jq '.kernels | length' run.json)" = 2 ] || fail "$(jq .kernels run.json)"
