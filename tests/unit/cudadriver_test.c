// SPDX-License-Identifier: MIT
// libcuda.so.1 as programs see it: layouts, names, and what names stand for.
// The sizes and places are those of NVIDIA's header, printed by a program.
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../cuda/include/cuda.h"

#define SIZE(Type, bytes) _Static_assert(sizeof(Type) == bytes, #Type);
#define AT(Type, field, bytes) _Static_assert(offsetof(Type, field) == bytes, #Type "." #field);

SIZE(CUDA_MEMCPY2D, 128)
SIZE(CUDA_MEMCPY3D, 200)
SIZE(CUDA_MEMCPY3D_PEER, 200)
SIZE(CUDA_ARRAY_DESCRIPTOR, 24)
SIZE(CUDA_ARRAY3D_DESCRIPTOR, 40)
SIZE(CUDA_RESOURCE_DESC, 144)
SIZE(CUDA_TEXTURE_DESC, 104)
SIZE(CUdevprop, 56)
SIZE(CUlaunchConfig, 56)
SIZE(CUlaunchAttribute, 72)
SIZE(CUlaunchAttributeValue, 64)
SIZE(CUctxCreateParams, 24)
SIZE(CUexecAffinityParam, 8)
SIZE(CUmemLocation, 8)
SIZE(CUuuid, 16)
SIZE(CUipcMemHandle, 64)
SIZE(CUmemPoolProps, 88)
SIZE(CUmemAccessDesc, 12)
SIZE(CUDA_KERNEL_NODE_PARAMS_v1, 56)
SIZE(CUDA_KERNEL_NODE_PARAMS_v2, 72)
SIZE(CUDA_MEMSET_NODE_PARAMS, 40)
AT(CUDA_MEMCPY2D, dstArray, 96)
AT(CUDA_MEMCPY2D, Height, 120)
AT(CUDA_MEMCPY3D, srcPitch, 72)
AT(CUDA_MEMCPY3D, dstDevice, 136)
AT(CUDA_MEMCPY3D, Depth, 192)
AT(CUDA_ARRAY3D_DESCRIPTOR, Flags, 32)
AT(CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes, 40)
AT(CUDA_RESOURCE_DESC, flags, 136)
AT(CUDA_TEXTURE_DESC, flags, 16)
AT(CUDA_TEXTURE_DESC, borderColor, 40)
AT(CUlaunchConfig, hStream, 32)
AT(CUlaunchConfig, numAttrs, 48)
AT(CUlaunchAttribute, value, 8)
AT(CUdevprop, textureAlign, 52)

_Static_assert(CUDA_ERROR_INVALID_CONTEXT == 201 && CUDA_ERROR_NOT_SUPPORTED == 801, "errors");
_Static_assert(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR == 75, "device attributes");
_Static_assert(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES == 8, "function attributes");
_Static_assert(CU_JIT_ERROR_LOG_BUFFER == 5 && CU_JIT_NUM_OPTIONS == 35, "options");
_Static_assert(CU_AD_FORMAT_HALF == 16 && CU_AD_FORMAT_FLOAT == 32, "formats");
_Static_assert(CU_LAUNCH_ATTRIBUTE_COOPERATIVE == 2, "launch attributes");

static void *library(const char *name) {
  char path[4096];
  const char *program = getenv("HEDDLE"), *slash = program ? strrchr(program, '/') : NULL;
  if (!slash) skip();
  snprintf(path, sizeof path, "%.*s/%s", (int)(slash - program), program, name);
  void *found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!found) fail_msg("%s", dlerror());
  return found;
}

static void *find(const char *name) {
  void *found = dlsym(library("libcuda.so.1"), name);
  if (!found) fail_msg("libcuda.so.1 lacks %s", name);
  return found;
}

// Fetches a function under the type that the header declares.
#define FUNCTION(name)                            \
  __typeof__(name) *call_##name;                  \
  do {                                            \
    void *found_ = find(#name);                   \
    memcpy(&call_##name, &found_, sizeof found_); \
  } while (0)

static const struct Entry {
  const char *name;
  int since;
  const char *function, *per_thread;
} entries[] = {
#define SYMBOL(name, since, function, per_thread) {#name, since, #function, #per_thread},
#include "../../src/cudadriver/symbols.def"
#undef SYMBOL
};

static void every_name_stands_for_the_function_of_its_version(void **state) {
  FUNCTION(cuGetProcAddress_v2);
  (void)state;
  assert_true(sizeof entries / sizeof *entries > 500);
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    void *found = NULL;
    const struct Entry *it = &entries[i];
    assert_int_equal(call_cuGetProcAddress_v2(it->name, &found, it->since, 0, &status), 0);
    assert_int_equal(status, CU_GET_PROC_ADDRESS_SUCCESS);
    assert_ptr_equal(found, find(it->function));
    call_cuGetProcAddress_v2(it->name, &found, it->since,
                             CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL);
    assert_ptr_equal(found, find(it->per_thread));
  }
}

static void a_name_means_the_newest_that_is_not_too_new(void **state) {
  CUdriverProcAddressQueryResult status;
  void *found;
  FUNCTION(cuGetProcAddress_v2);
  (void)state;
  call_cuGetProcAddress_v2("cuCtxCreate", &found, 11039, 0, NULL);
  assert_ptr_equal(found, find("cuCtxCreate_v2"));
  call_cuGetProcAddress_v2("cuCtxCreate", &found, 12049, 0, NULL);
  assert_ptr_equal(found, find("cuCtxCreate_v3"));
  call_cuGetProcAddress_v2("cuCtxCreate", &found, 13000, 0, NULL);
  assert_ptr_equal(found, find("cuCtxCreate_v4"));
  assert_int_equal(call_cuGetProcAddress_v2("cuKernelGetName", &found, 12000, 0, &status), 0);
  assert_null(found);
  assert_int_equal(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  assert_int_equal(call_cuGetProcAddress_v2("cuNothing", &found, 12000, 0, &status), 0);
  assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

static const char *const unsupported[] = {
#define UNSUPPORTED(name) #name,
#include "../../src/cudadriver/unsupported.def"
#undef UNSUPPORTED
};

static void what_is_not_there_says_so(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++) {
    int (*call)(void);
    void *found = find(unsupported[i]);
    memcpy(&call, &found, sizeof call);
    assert_int_equal(call(), 801);
  }
}

static void every_error_has_a_name_and_a_text(void **state) {
  static const CUresult some[] = {CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_FOUND,
                                  CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_UNKNOWN};
  FUNCTION(cuGetErrorName);
  FUNCTION(cuGetErrorString);
  (void)state;
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    const char *name = NULL, *text = NULL;
    assert_int_equal(call_cuGetErrorName(some[i], &name), 0);
    assert_int_equal(call_cuGetErrorString(some[i], &text), 0);
    assert_true(name && text && strncmp(name, "CUDA_", 5) == 0 && *text);
  }
}

// Both libraries ask the device; the properties of the runtime are as well.
static void both_apis_say_the_same_of_the_device(void **state) {
  FUNCTION(cuInit);
  FUNCTION(cuDeviceGetAttribute);
  int (*of_runtime)(int *, int, int);
  void *found = dlsym(library("libcudart.so.12"), "cudaDeviceGetAttribute");
  (void)state;
  memcpy(&of_runtime, &found, sizeof found);
  assert_int_equal(call_cuInit(0), 0);
  for (int number = 1; number < 130; number++) {
    int driver = -1, runtime = -2;
    assert_int_equal(call_cuDeviceGetAttribute(&driver, (CUdevice_attribute)number, 0), 0);
    assert_int_equal(of_runtime(&runtime, number, 0), 0);
    assert_int_equal(driver, runtime);
  }
}

static const char *const add_one =
    ".version 6.4\n.target sm_70\n.address_size 64\n"
    ".visible .entry add_one(.param .u64 data) {\n"
    "  .reg .u32 %r<3>;\n  .reg .u64 %a<3>;\n"
    "  ld.param.u64 %a1, [data];\n  mov.u32 %r1, %tid.x;\n  mul.wide.u32 %a2, %r1, 4;\n"
    "  add.u64 %a1, %a1, %a2;\n  ld.global.u32 %r2, [%a1];\n  add.u32 %r2, %r2, 1;\n"
    "  st.global.u32 [%a1], %r2;\n  ret;\n}\n";

// A thread makes a context with everything in it, works, and takes it down.
static char work_in_a_context_failed;

static void *work_in_a_context(void *unused) {
  enum { COUNT = 32 };
  FUNCTION(cuCtxCreate_v2);
  FUNCTION(cuCtxDestroy_v2);
  FUNCTION(cuModuleLoadData);
  FUNCTION(cuModuleGetFunction);
  FUNCTION(cuMemAlloc_v2);
  FUNCTION(cuMemsetD32_v2);
  FUNCTION(cuLaunchKernel);
  FUNCTION(cuStreamCreate);
  FUNCTION(cuStreamSynchronize);
  FUNCTION(cuMemcpyDtoH_v2);
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUstream stream;
  CUdeviceptr data;
  unsigned host[COUNT] = {0};
  (void)unused;
  for (unsigned round = 0; round < 5; round++) {
    unsigned wrong = 0;
    wrong |= call_cuCtxCreate_v2(&context, 0, 0);
    wrong |= call_cuModuleLoadData(&module, add_one);
    wrong |= call_cuModuleGetFunction(&function, module, "add_one");
    wrong |= call_cuStreamCreate(&stream, 0);
    wrong |= call_cuMemAlloc_v2(&data, sizeof host);
    wrong |= call_cuMemsetD32_v2(data, round, COUNT);
    void *arguments[] = {&data};
    wrong |= call_cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, stream, arguments, NULL);
    wrong |= call_cuStreamSynchronize(stream);
    wrong |= call_cuMemcpyDtoH_v2(host, data, sizeof host);
    for (unsigned i = 0; i < COUNT; i++) wrong |= host[i] != round + 1;
    wrong |= call_cuCtxDestroy_v2(context);
    if (wrong) return &work_in_a_context_failed;
  }
  return NULL;
}

static void threads_have_contexts_of_their_own(void **state) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  CUcontext keeper;
  FUNCTION(cuInit);
  FUNCTION(cuCtxCreate_v2);
  FUNCTION(cuCtxDestroy_v2);
  (void)state;
  assert_int_equal(call_cuInit(0), 0);
  assert_int_equal(call_cuCtxCreate_v2(&keeper, 0, 0), 0);
  for (int t = 0; t < THREADS; t++)
    assert_int_equal(pthread_create(&threads[t], NULL, work_in_a_context, NULL), 0);
  for (int t = 0; t < THREADS; t++) {
    void *failed;
    pthread_join(threads[t], &failed);
    assert_null(failed);
  }
  assert_int_equal(call_cuCtxDestroy_v2(keeper), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_name_stands_for_the_function_of_its_version),
      cmocka_unit_test(a_name_means_the_newest_that_is_not_too_new),
      cmocka_unit_test(what_is_not_there_says_so),
      cmocka_unit_test(every_error_has_a_name_and_a_text),
      cmocka_unit_test(both_apis_say_the_same_of_the_device),
      cmocka_unit_test(threads_have_contexts_of_their_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
