// SPDX-License-Identifier: MIT
// A module from a file, launched in every way there is.
#include "check_driver.h"

static const int n = 5000, threads = 256, blocks = (n + threads - 1) / threads;
static CUdeviceptr a, b, c;
static std::vector<float> host_a(n), host_b(n);

static void expect_sums() {
  std::vector<float> sums = download<float>(c, n);
  for (int i = 0; i < n; i++) EXPECT(sums[i] == host_a[i] + host_b[i]);
  CHECK(cuMemsetD32(c, 0, n));
}

static void with_arguments(CUfunction function) {
  int count = n;
  void *arguments[] = {&a, &b, &c, &count};
  CHECK(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL));
  CHECK(cuCtxSynchronize());
  expect_sums();
}

static void with_a_buffer(CUfunction function) {
  struct {
    CUdeviceptr a, b, c;
    int n;
  } buffer = {a, b, c, n};
  size_t bytes = sizeof buffer;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  CHECK(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, NULL, NULL, extra));
  expect_sums();
  int count = n;
  void *arguments[] = {&a, &b, &c, &count};
  EXPECT(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, extra) ==
         CUDA_ERROR_INVALID_VALUE);
}

static void as_before_cuda_4(CUfunction function) {
  int offset = 0, count = n;
  CUdeviceptr pointers[] = {a, b, c};
  for (CUdeviceptr &pointer : pointers) {
    CHECK(cuParamSetv(function, offset, &pointer, sizeof pointer));
    offset += sizeof pointer;
  }
  CHECK(cuParamSeti(function, offset, count));
  CHECK(cuParamSetSize(function, offset + 4));
  CHECK(cuFuncSetBlockShape(function, threads, 1, 1));
  CHECK(cuLaunchGrid(function, blocks, 1));
  expect_sums();
}

static void cooperatively(CUfunction function) {
  int count = n;
  void *arguments[] = {&a, &b, &c, &count};
  CHECK(cuLaunchCooperativeKernel(function, blocks, 1, 1, threads, 1, 1, 0, NULL, arguments));
  expect_sums();
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  CUlaunchConfig config = {};
  config.gridDimX = blocks;
  config.blockDimX = threads;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cuLaunchKernelEx(&config, function, arguments, NULL));
  expect_sums();
}

static void variables(CUmodule module) {
  CUfunction function;
  CUdeviceptr scale, counter;
  size_t bytes;
  const float factors[4] = {1, 2, 4, 0.5f};
  CHECK(cuModuleGetFunction(&function, module, "scale_all"));
  CHECK(cuModuleGetGlobal(&scale, &bytes, module, "scale"));
  EXPECT(bytes == sizeof factors);
  CHECK(cuMemcpyHtoD(scale, factors, sizeof factors));
  CHECK(cuModuleGetGlobal(&counter, NULL, module, "counter"));
  CHECK(cuMemcpyDtoD(c, a, n * sizeof(float)));
  char which = 2;
  int count = n;
  void *arguments[] = {&c, &count, &which};
  CHECK(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL));
  std::vector<float> scaled = download<float>(c, n);
  for (int i = 0; i < n; i++) EXPECT(scaled[i] == host_a[i] * 4);
  EXPECT(download<unsigned>(counter, 1)[0] == (unsigned)n);
}

static void questions(CUmodule module, CUfunction function) {
  int value = 0, grid, block;
  size_t offset, bytes;
  const char *name;
  CUmodule same;
  unsigned kernels;
  CHECK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
  EXPECT(value > 0);
  CHECK(cuFuncGetParamInfo(function, 3, &offset, &bytes));
  EXPECT(offset == 24 && bytes == 4);
  EXPECT(cuFuncGetParamInfo(function, 4, &offset, &bytes) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuFuncGetName(&name, function));
  EXPECT(strcmp(name, "vector_add") == 0);
  CHECK(cuFuncGetModule(&same, function));
  EXPECT(same == module);
  CHECK(cuModuleGetFunctionCount(&kernels, module));
  EXPECT(kernels == 5);
  CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, threads, 0));
  EXPECT(value > 0);
  CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, 0));
  EXPECT(grid > 0 && block > 0 && block <= 1024);
}

int main(int argc, char **argv) {
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdevice device = first_device();
  CHECK(create_context(&context, 0, device));
  CHECK(cuModuleLoad(&module, argc > 1 ? argv[1] : "kernels.ptx"));
  CHECK(cuModuleGetFunction(&function, module, "vector_add"));
  for (int i = 0; i < n; i++) host_a[i] = (float)i, host_b[i] = (float)(i % 77) / 4;
  a = upload(host_a);
  b = upload(host_b);
  c = upload(std::vector<float>(n));
  with_arguments(function);
  with_a_buffer(function);
  as_before_cuda_4(function);
  cooperatively(function);
  variables(module);
  questions(module, function);
  CHECK(cuMemFree(a));
  CHECK(cuMemFree(b));
  CHECK(cuMemFree(c));
  CHECK(cuModuleUnload(module));
  CHECK(cuCtxDestroy(context));
  return finish("vector_add");
}
