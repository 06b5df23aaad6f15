// SPDX-License-Identifier: MIT
// Names of kernel parameters, found in CUDA source.
#include "observers/accesses/parameter_names.h"

#include <string.h>

#include "unit/cmocka_all.h"

enum { MOST = 8 };

static Arena arena;
static const char *names[MOST];

// The names, each followed by a space; NULL: no definition with so many parameters.
static const char *found(const char *source, const char *kernel, uint32_t last_line,
                         uint32_t count) {
  char *text = arena_strdup(&arena, source), *joined = arena_alloc(&arena, 256);
  if (!parameter_names_find(text, kernel, last_line, count, &arena, names)) return NULL;
  for (uint32_t i = 0; i < count; i++) strcat(strcat(joined, names[i]), " ");
  return joined;
}

static int teardown(void **state) {
  (void)state;
  arena_clear(&arena);
  return 0;
}

static void names_are_the_last_words_of_declarators(void **state) {
  (void)state;
  assert_string_equal(found("__global__ void k(const float *__restrict__ x, int n) {}", "k", 1, 2),
                      "x n ");
  assert_string_equal(found("template <class T, int N>\n__global__ __launch_bounds__(256)\n"
                            "void k(Array<T, N> a, T b[16], int c = f(1, 2),\n"
                            "       T (*d), void (*e)(int, T), unsigned long long g) {",
                            "k", 3, 6),
                      "a b c d e g ");
}

static void comments_and_literals_are_no_code(void **state) {
  (void)state;
  assert_string_equal(
      found("// __global__ void k(int wrong) {\n"
            "/* __global__ void k(int worse) { */\n"
            "const char *s = \"\\\"__global__ void k(int bad) {\"; char c = '\\'';\n"
            "__global__ void k(int /* a, b) */ right) // {\n{",
            "k", 5, 1),
      "right ");
}

static void only_definitions_of_the_kernel_count(void **state) {
  (void)state;
  const char *source =
      "__global__ void kk(int a) {}\n"
      "__global__ void k(int b);\n"
      "__device__ void k(long c) {}\n"
      "void f() { k(1); }\n";
  assert_null(found(source, "k", 9, 1));
  assert_null(found("__global__ void k(int a, int b) {}", "k", 1, 1));
  assert_null(found("__global__ void k(int a, int b) {}", "k", 1, 3));
  assert_null(found("__global__ void k(int, float *) {}", "k", 0, 2));
  assert_null(found("__global__ void k(ARGUMENTS) {}", "k", 1, 2));
  assert_null(found("", "k", 1, 1));
  assert_null(found("__global__ void k(int a", "k", 1, 1));
  assert_null(found("__global__ void k(", "k", 1, 1));
  assert_null(found("/* __global__ void k(int a) {", "k", 1, 1));
}

// Of overloads, the last before the kernel's last line.
static void overloads_are_distinguished_by_place(void **state) {
  (void)state;
  const char *source = "__global__ void k(int a) {}\n\n__global__ void k(float b) {\n}\n";
  assert_string_equal(found(source, "k", 1, 1), "a ");
  assert_string_equal(found(source, "k", 3, 1), "b ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_the_last_words_of_declarators),
      cmocka_unit_test(comments_and_literals_are_no_code),
      cmocka_unit_test(only_definitions_of_the_kernel_count),
      cmocka_unit_test(overloads_are_distinguished_by_place),
  };
  return cmocka_run_group_tests(tests, NULL, teardown);
}
