// SPDX-License-Identifier: MIT
// What goes wrong is told by the number that the driver has for it.
#include "check_driver.h"

static const char *const bad_ptx =
    ".version 6.4\n.target sm_70\n.address_size 64\n"
    ".visible .entry broken() {\n  frobnicate.u32 %r1, %r2;\n  ret;\n}\n";

static void before_initialising() {
  int count, version;
  CUcontext context;
  CHECK(cuDriverGetVersion(&version));
  EXPECT(version >= 11000);
  EXPECT(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
  EXPECT(cuCtxGetCurrent(&context) == CUDA_ERROR_NOT_INITIALIZED);
  EXPECT(cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED);
  EXPECT(cuInit(1) == CUDA_ERROR_INVALID_VALUE);
}

static void without_a_context(CUdevice device) {
  CUdeviceptr pointer;
  CUmodule module;
  CUcontext context = (CUcontext)8;
  unsigned flags;
  int is_active;
  EXPECT(cuMemAlloc(&pointer, 64) == CUDA_ERROR_INVALID_CONTEXT);
  EXPECT(cuModuleLoadData(&module, bad_ptx) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuCtxGetCurrent(&context));
  EXPECT(context == NULL);
  EXPECT(cuDeviceGet(&device, 1) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(cuDevicePrimaryCtxGetState(0, &flags, &is_active));
  EXPECT(!is_active);
  EXPECT(cuDevicePrimaryCtxRelease(0) == CUDA_ERROR_INVALID_CONTEXT);
}

static void bad_images() {
  CUmodule module;
  char log[512] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log};
  EXPECT(cuModuleLoadDataEx(&module, bad_ptx, 2, options, values) == CUDA_ERROR_INVALID_PTX);
  EXPECT(strstr(log, "frobnicate") && strstr(log, ":5"));
  EXPECT((size_t)values[1] == strlen(log));
  char short_log[16];
  memset(short_log, '#', sizeof short_log);
  values[0] = short_log;
  values[1] = (void *)(sizeof short_log - 1);
  EXPECT(cuModuleLoadDataEx(&module, bad_ptx, 2, options, values) == CUDA_ERROR_INVALID_PTX);
  EXPECT(strlen(short_log) == 14 && short_log[15] == '#');
  EXPECT(cuModuleLoadData(&module, "these are other bytes, and not device code at all") ==
         CUDA_ERROR_INVALID_IMAGE);
  EXPECT(cuModuleLoadData(&module, "\177ELF and so on, as machine code begins, of so many bytes") ==
         CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT(cuModuleLoad(&module, "no such file") == CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT(cuModuleLoad(&module, ".") == CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT(cuModuleLoadData(&module, NULL) == CUDA_ERROR_INVALID_VALUE);
}

static void bad_handles(CUmodule module) {
  CUfunction function;
  CUdeviceptr pointer;
  size_t bytes;
  int value;
  EXPECT(cuModuleGetFunction(&function, module, "no such kernel") == CUDA_ERROR_NOT_FOUND);
  EXPECT(cuModuleGetGlobal(&pointer, &bytes, module, "nothing") == CUDA_ERROR_NOT_FOUND);
  EXPECT(cuModuleGetFunction(&function, (CUmodule)&value, "x") == CUDA_ERROR_INVALID_HANDLE);
  EXPECT(cuModuleUnload((CUmodule)&value) == CUDA_ERROR_INVALID_HANDLE);
  EXPECT(cuStreamSynchronize((CUstream)&value) == CUDA_ERROR_INVALID_HANDLE);
  EXPECT(cuEventQuery((CUevent)&value) == CUDA_ERROR_INVALID_HANDLE);
  EXPECT(cuLaunchKernel((CUfunction)&value, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) ==
         CUDA_ERROR_INVALID_HANDLE);
  EXPECT(cuCtxSetCurrent((CUcontext)&value) == CUDA_ERROR_INVALID_CONTEXT);
  EXPECT(cuMemFree(0x1234) == CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemcpyHtoD(0x1234, &value, 4) == CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemAlloc(&pointer, 0) == CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemAlloc(&pointer, (size_t)1 << 60) == CUDA_ERROR_OUT_OF_MEMORY);
}

static void bad_launches(CUmodule module) {
  CUfunction function;
  CHECK(cuModuleGetFunction(&function, module, "vector_add"));
  CUdeviceptr none = 0;
  int zero = 0;
  void *arguments[] = {&none, &none, &none, &zero};
  EXPECT(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, NULL, arguments, NULL) ==
         CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuLaunchKernel(function, 0, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL) ==
         CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 1 << 24, NULL, arguments, NULL) ==
         CUDA_ERROR_INVALID_VALUE);
  CHECK(cuCtxSynchronize());
}

static void not_there() {
  CUdeviceptr pointer;
  CUipcMemHandle handle;
  const void *table;
  CUuuid id = {};
  int can;
  CHECK(cuMemAlloc(&pointer, 64));
  EXPECT(cuIpcGetMemHandle(&handle, pointer) == CUDA_ERROR_NOT_SUPPORTED);
  EXPECT(cuStreamWriteValue32(NULL, pointer, 1, 0) == CUDA_ERROR_NOT_SUPPORTED);
  EXPECT(cuGetExportTable(&table, &id) == CUDA_ERROR_NOT_FOUND);
  CHECK(cuDeviceCanAccessPeer(&can, 0, 0));
  EXPECT(!can);
  CHECK(cuMemFree(pointer));
}

// The context is broken by its kernel, and another one works.
static void sticky(CUcontext context, CUmodule module, CUdevice device, const char *path) {
  CUfunction function;
  CUdeviceptr pointer;
  CHECK(cuModuleGetFunction(&function, module, "out_of_bounds"));
  CHECK(cuMemAlloc(&pointer, 64));
  void *arguments[] = {&pointer};
  CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
  EXPECT(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT(cuMemFree(pointer) == CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT(cuMemAlloc(&pointer, 64) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(cuCtxDestroy(context));
  EXPECT(cuCtxSynchronize() == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(create_context(&context, 0, device));
  CHECK(cuModuleLoad(&module, path));
  CHECK(cuMemAlloc(&pointer, 64));
  CHECK(cuCtxSynchronize());
  CHECK(cuCtxDestroy(context));
}

static void texts() {
  const char *text = NULL;
  CHECK(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text));
  EXPECT(strcmp(text, "CUDA_ERROR_INVALID_CONTEXT") == 0);
  CHECK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT(strcmp(text, "out of memory") == 0);
  EXPECT(cuGetErrorName((CUresult)12345, &text) == CUDA_ERROR_INVALID_VALUE && !text);
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "kernels.ptx";
  CUcontext context;
  CUmodule module;
  before_initialising();
  CUdevice device = first_device();
  without_a_context(device);
  CHECK(create_context(&context, 0, device));
  CHECK(cuModuleLoad(&module, path));
  bad_images();
  bad_handles(module);
  bad_launches(module);
  not_there();
  texts();
  sticky(context, module, device, path);
  return finish("driver_errors");
}
