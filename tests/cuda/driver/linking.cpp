// SPDX-License-Identifier: MIT
// Pieces of PTX linked into one image, and the same image as a library.
#include "check_driver.h"

static const char *const caller = R"(
.version 6.4
.target sm_70
.address_size 64
.extern .func (.param .b32 result) squared(.param .b32 value);
.extern .global .u32 offset;
.visible .entry squares(.param .u64 data) {
  .reg .u32 %r<5>;
  .reg .u64 %a<4>;
  ld.param.u64 %a1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %a2, %r1, 4;
  add.u64 %a1, %a1, %a2;
  {
    .param .b32 in;
    .param .b32 out;
    st.param.b32 [in], %r1;
    call (out), squared, (in);
    ld.param.b32 %r2, [out];
  }
  ld.global.u32 %r3, [offset];
  add.u32 %r2, %r2, %r3;
  st.global.u32 [%a1], %r2;
  ret;
}
)";

static const char *const callee = R"(
.version 6.4
.target sm_70
.address_size 64
.visible .global .u32 offset = 1000;
.visible .func (.param .b32 result) squared(.param .b32 value) {
  .reg .u32 %r<3>;
  ld.param.b32 %r1, [value];
  mul.lo.u32 %r2, %r1, %r1;
  st.param.b32 [result], %r2;
  ret;
}
)";

static void expect_squares(CUfunction function) {
  const int n = 64;
  CUdeviceptr data = upload(std::vector<unsigned>(n));
  void *arguments[] = {&data};
  CHECK(cuLaunchKernel(function, 1, 1, 1, n, 1, 1, 0, NULL, arguments, NULL));
  std::vector<unsigned> got = download<unsigned>(data, n);
  for (unsigned i = 0; i < n; i++) EXPECT(got[i] == i * i + 1000);
  CHECK(cuMemFree(data));
}

static void as_module(const void *image) {
  CUmodule module;
  CUfunction function;
  CHECK(cuModuleLoadData(&module, image));
  CHECK(cuModuleGetFunction(&function, module, "squares"));
  expect_squares(function);
  CHECK(cuModuleUnload(module));
}

// The image may be kept in a file.
static void as_library(const void *image, size_t bytes) {
  CUlibrary library;
  CUkernel kernel, listed[1];
  CUfunction function;
  CUdeviceptr offset;
  unsigned count;
  size_t size;
  std::vector<char> copy((const char *)image, (const char *)image + bytes);
  CHECK(cuLibraryLoadData(&library, copy.data(), NULL, NULL, 0, NULL, NULL, 0));
  copy.assign(bytes, 0);
  CHECK(cuLibraryGetKernelCount(&count, library));
  EXPECT(count == 1);
  CHECK(cuLibraryGetKernel(&kernel, library, "squares"));
  CHECK(cuLibraryEnumerateKernels(listed, 1, library));
  EXPECT(listed[0] == kernel);
  CHECK(cuKernelGetFunction(&function, kernel));
  expect_squares(function);
  expect_squares((CUfunction)kernel);
  CHECK(cuLibraryGetGlobal(&offset, &size, library, "offset"));
  EXPECT(size == 4 && download<unsigned>(offset, 1)[0] == 1000);
  CHECK(cuLibraryUnload(library));
  EXPECT(cuLibraryGetKernel(&kernel, library, "squares") == CUDA_ERROR_INVALID_HANDLE);
}

static void incomplete() {
  char log[1024] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log}, *image;
  CUlinkState state;
  size_t bytes;
  CHECK(cuLinkCreate(2, options, values, &state));
  CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)caller, strlen(caller) + 1, "caller", 0,
                      NULL, NULL));
  EXPECT(cuLinkComplete(state, &image, &bytes) == CUDA_ERROR_INVALID_PTX);
  EXPECT(strstr(log, "squared") != NULL);
  EXPECT(cuLinkAddFile(state, CU_JIT_INPUT_PTX, "no such file", 0, NULL, NULL) ==
         CUDA_ERROR_FILE_NOT_FOUND);
  CHECK(cuLinkDestroy(state));
}

int main(int argc, char **argv) {
  CUcontext context;
  CUlinkState state;
  void *image;
  size_t bytes;
  CUdevice device = first_device();
  CHECK(create_context(&context, 0, device));
  incomplete();
  CHECK(cuLinkCreate(0, NULL, NULL, &state));
  CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)caller, strlen(caller), "caller", 0, NULL,
                      NULL));
  CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)callee, strlen(callee) + 1, "callee", 0,
                      NULL, NULL));
  if (argc > 1)
    CHECK(cuLinkAddFile(state, strstr(argv[1], ".ptx") ? CU_JIT_INPUT_PTX : CU_JIT_INPUT_FATBINARY,
                        argv[1], 0, NULL, NULL));
  CHECK(cuLinkComplete(state, &image, &bytes));
  as_module(image);
  CHECK(cuLinkDestroy(state));
  CHECK(cuLinkCreate(0, NULL, NULL, &state));
  CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)caller, strlen(caller), "a", 0, NULL, NULL));
  CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)callee, strlen(callee), "b", 0, NULL, NULL));
  CHECK(cuLinkComplete(state, &image, &bytes));
  as_library(image, bytes);
  CHECK(cuLinkDestroy(state));
  CHECK(cuCtxDestroy(context));
  return finish("linking");
}
