// SPDX-License-Identifier: MIT
// The runtime and the driver API in one program: one device, one context, and
// handles that serve both.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include "check_driver.h"

#define RUN(call) EXPECT((call) == cudaSuccess)

__global__ void twice(int *data) {
  data[threadIdx.x] *= 2;
}

__device__ int variable = 17;

// The runtime's first call makes the primary context, and makes it current.
static CUcontext primary() {
  CUcontext current, retained;
  unsigned flags;
  int is_active;
  CHECK(cuInit(0));
  CHECK(cuCtxGetCurrent(&current));
  EXPECT(current == NULL);
  RUN(cudaFree(0));
  CHECK(cuCtxGetCurrent(&current));
  EXPECT(current != NULL);
  CHECK(cuDevicePrimaryCtxRetain(&retained, 0));
  EXPECT(retained == current);
  CHECK(cuDevicePrimaryCtxGetState(0, &flags, &is_active));
  EXPECT(is_active);
  CHECK(cuDevicePrimaryCtxRelease(0));
  return current;
}

static void shared_handles(CUcontext context) {
  const int n = 32;
  int host[n];
  cudaStream_t stream;
  cudaEvent_t event;
  CUcontext owner;
  CUdeviceptr data;
  cudaFunction_t function;
  RUN(cudaStreamCreate(&stream));
  RUN(cudaEventCreate(&event));
  CHECK(cuStreamGetCtx((CUstream)stream, &owner));
  EXPECT(owner == context);
  CHECK(cuMemAlloc(&data, sizeof host));
  CHECK(cuMemsetD32Async(data, 21, n, (CUstream)stream));
  twice<<<1, n, 0, stream>>>((int *)data);
  RUN(cudaGetFuncBySymbol(&function, (const void *)twice));
  void *arguments[] = {&data};
  CHECK(cuLaunchKernel((CUfunction)function, 1, 1, 1, n, 1, 1, 0, (CUstream)stream, arguments, NULL));
  CHECK(cuEventRecord((CUevent)event, (CUstream)stream));
  RUN(cudaEventSynchronize(event));
  RUN(cudaMemcpy(host, (void *)data, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) EXPECT(host[i] == 84);
  const char *name = NULL;
  CHECK(cuFuncGetName(&name, (CUfunction)function));
  EXPECT(name && strstr(name, "twice"));
  CHECK(cuStreamDestroy((CUstream)stream));
  RUN(cudaEventDestroy(event));
  RUN(cudaFree((void *)data));
}

// A variable of the program, through the module that its kernels belong to.
static void variables() {
  void *address;
  cudaFunction_t function;
  CUmodule module;
  CUdeviceptr same;
  size_t bytes;
  RUN(cudaGetSymbolAddress(&address, variable));
  RUN(cudaGetFuncBySymbol(&function, (const void *)twice));
  CHECK(cuFuncGetModule(&module, (CUfunction)function));
  CHECK(cuModuleGetGlobal(&same, &bytes, module, "variable"));
  EXPECT(same == (CUdeviceptr)address && bytes == 4);
}

typedef CUresult FillFunction(CUdeviceptr, unsigned, size_t);
typedef CUresult FindFunction(const char *, void **, int, cuuint64_t);

static void expect_fill(void *found) {
  int value = 0;
  CUdeviceptr data;
  EXPECT(found != NULL);
  if (!found) return;
  CHECK(cuMemAlloc(&data, 4));
  CHECK(((FillFunction *)found)(data, 99, 1));
  CHECK(cuMemcpyDtoH(&value, data, 4));
  EXPECT(value == 99);
  CHECK(cuMemFree(data));
}

// By name and version, from the runtime, from the driver, and from the library.
static void by_name() {
  void *found = NULL, *threads = NULL;
  cudaDriverEntryPointQueryResult status;
  RUN(cudaGetDriverEntryPointByVersion("cuMemsetD32", &found, 12000, cudaEnableDefault, &status));
  EXPECT(status == cudaDriverEntryPointSuccess);
  expect_fill(found);
  RUN(cudaGetDriverEntryPointByVersion("cuMemsetD32", &threads, 12000,
                                       cudaEnablePerThreadDefaultStream, &status));
  EXPECT(threads != found);
  RUN(cudaGetDriverEntryPointByVersion("cuLibraryLoadData", &found, 11080, cudaEnableDefault, &status));
  EXPECT(status == cudaDriverEntryPointVersionNotSufficent && !found);
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  EXPECT(driver != NULL);
  FindFunction *find = (FindFunction *)dlsym(driver, "cuGetProcAddress");
  CHECK(find("cuMemsetD32", &found, 11030, CU_GET_PROC_ADDRESS_DEFAULT));
  expect_fill(found);
  CHECK(find("cuMemsetD32", &threads, 11030, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
  EXPECT(threads && threads != found);
  expect_fill(threads);
  EXPECT(find("cuNoSuchThing", &found, 11030, 0) == CUDA_ERROR_NOT_FOUND);
  EXPECT(find("cuMemsetD32", &found, 99000, 0) == CUDA_ERROR_INVALID_VALUE);
}

int main() {
  CUcontext context = primary();
  shared_handles(context);
  variables();
  by_name();
  RUN(cudaDeviceReset());
  CUcontext current;
  CHECK(cuCtxGetCurrent(&current));
  EXPECT(cuCtxSynchronize() == CUDA_ERROR_CONTEXT_IS_DESTROYED);
  RUN(cudaFree(0));
  CHECK(cuCtxSynchronize());
  return finish("both_apis");
}
