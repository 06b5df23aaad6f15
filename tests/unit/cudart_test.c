// SPDX-License-Identifier: MIT
// The three libraries as programs see them: names, version nodes, and structs
// that are no longer than their version's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Positions of some fields of cudaDeviceProp, by version.
typedef struct Version {
  const char *name, *properties;
  size_t bytes, multiprocessors, major, l2;
} Version;

static const Version versions[] = {
    {"libcudart.so.11.0", "cudaGetDeviceProperties", 728, 388, 360, 616},
    {"libcudart.so.12", "cudaGetDeviceProperties_v2", 1032, 388, 360, 616},
    {"libcudart.so.13", "cudaGetDeviceProperties", 1008, 384, 360, 596},
};

static void *library(const Version *version) {
  char path[4096];
  const char *program = getenv("HEDDLE"), *slash = program ? strrchr(program, '/') : NULL;
  if (!slash) skip();
  snprintf(path, sizeof path, "%.*s/%s", (int)(slash - program), program, version->name);
  void *found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!found) fail_msg("%s", dlerror());
  return found;
}

static void *find(void *from, const Version *version, const char *name) {
  void *found = dlvsym(from, name, version->name);
  if (!found) fail_msg("%s lacks %s@%s", version->name, name, version->name);
  return found;
}

static int integer_at(const uint8_t *bytes, size_t offset) {
  int value;
  memcpy(&value, bytes + offset, sizeof value);
  return value;
}

static void every_version_has_its_names_under_its_node(void **state) {
  static const char *const names[] = {"__cudaRegisterFatBinary",
                                      "__cudaRegisterFatBinaryEnd",
                                      "__cudaRegisterFunction",
                                      "__cudaRegisterVar",
                                      "__cudaUnregisterFatBinary",
                                      "__cudaPushCallConfiguration",
                                      "__cudaPopCallConfiguration",
                                      "__cudaGetKernel",
                                      "__cudaLaunchKernel",
                                      "cudaLaunchKernel",
                                      "cudaLaunchKernel_ptsz",
                                      "cudaMalloc",
                                      "cudaMemcpy",
                                      "cudaMemcpy_ptds",
                                      "cudaMemcpyAsync",
                                      "cudaFree",
                                      "cudaDeviceSynchronize",
                                      "cudaSetDevice",
                                      "cudaGetErrorString",
                                      "cudaMemcpyToSymbol",
                                      "cudaCreateTextureObject",
                                      "cudaBindTexture",
                                      "cudaEventElapsedTime",
                                      "cudaStreamCreate",
                                      "cudaMallocManaged",
                                      "cudaGraphicsMapResources",
                                      "cudaIpcGetMemHandle"};
  (void)state;
  for (size_t v = 0; v < 3; v++) {
    void *from = library(&versions[v]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) find(from, &versions[v], names[i]);
  }
}

static void properties_have_the_layout_of_their_version(void **state) {
  (void)state;
  for (size_t v = 0; v < 3; v++) {
    const Version *version = &versions[v];
    uint8_t bytes[2048];
    void *from = library(version);
    int (*get)(void *, int);
    *(void **)&get = find(from, version, version->properties);
    memset(bytes, 0xa5, sizeof bytes);
    assert_int_equal(get(bytes, 0), 0);
    for (size_t i = version->bytes; i < sizeof bytes; i++) assert_int_equal(bytes[i], 0xa5);
    assert_string_equal((char *)bytes, "Heddle gtx480");
    assert_int_equal(integer_at(bytes, version->multiprocessors), 15);
    assert_int_equal(integer_at(bytes, version->major), 2);
    assert_int_equal(integer_at(bytes, version->l2), 768 * 1024);
    assert_int_equal(get(bytes, 1), 101);
  }
}

static void memory_is_told_as_wide_and_fast_as_the_board_says(void **state) {
  enum { MEMORY_CLOCK_KHZ = 36, BUS_BITS = 37 };
  int (*get)(int *, int, int), khz = 0, bits = 0;
  (void)state;
  *(void **)&get = find(library(&versions[0]), &versions[0], "cudaDeviceGetAttribute");
  assert_int_equal(get(&khz, MEMORY_CLOCK_KHZ, 0), 0);
  assert_int_equal(get(&bits, BUS_BITS, 0), 0);
  assert_int_equal(khz, 1848000);
  assert_int_equal(bits, 384);
}

static void what_is_not_there_says_so(void **state) {
  (void)state;
  for (size_t v = 0; v < 3; v++) {
    void *from = library(&versions[v]);
    int (*map)(int, void **, void *), (*last)(void);
    *(void **)&map = find(from, &versions[v], "cudaGraphicsMapResources");
    *(void **)&last = find(from, &versions[v], "cudaGetLastError");
    assert_int_equal(map(0, NULL, NULL), 801);
    assert_int_equal(last(), 801);
    assert_int_equal(last(), 0);
  }
}

static void the_libraries_share_one_device(void **state) {
  (void)state;
  void *first = library(&versions[0]), *last = library(&versions[2]);
  int (*take)(void **, size_t), (*give)(void *);
  void *pointer = NULL;
  *(void **)&take = find(first, &versions[0], "cudaMalloc");
  *(void **)&give = find(last, &versions[2], "cudaFree");
  assert_int_equal(take(&pointer, 100), 0);
  assert_int_equal(give(pointer), 0);
  assert_int_equal(give(pointer), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_version_has_its_names_under_its_node),
      cmocka_unit_test(properties_have_the_layout_of_their_version),
      cmocka_unit_test(memory_is_told_as_wide_and_fast_as_the_board_says),
      cmocka_unit_test(what_is_not_there_says_so),
      cmocka_unit_test(the_libraries_share_one_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
