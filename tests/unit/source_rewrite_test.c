// SPDX-License-Identifier: MIT
// What nvcc takes and clang does not, written so that clang compiles it.
#include <stdlib.h>
#include <string.h>

#include "cc/source_rewrite.h"
#include "unit/cmocka_all.h"

#define LAUNCH(count, kernel, shape)                                  \
  "({ struct heddle_child { using launcher = heddle::Launcher<"       \
  "decltype(heddle::kernel_of<" count ">(&" kernel ", 0)), (&" kernel \
  ")>; }; typename heddle_child::launcher" shape "; })"

static void becomes(const char *from, const char *to) {
  char *out;
  size_t length;
  assert_true(source_rewrite(from, strlen(from), &out, &length));
  assert_int_equal(length, strlen(to));
  assert_string_equal(out, to);
  free(out);
}

static void stays(const char *text) {
  char *out;
  size_t length;
  assert_false(source_rewrite(text, strlen(text), &out, &length));
  assert_null(out);
}

static void a_launch_in_a_kernel_is_written_anew(void **state) {
  (void)state;
  becomes("__global__ void f() { child<<<1, 32>>>(a, b); }",
          "__global__ void f() { " LAUNCH("2", "child", "(1, 32)") "(a, b); }");
  becomes("__device__ int f() {\n  if (x)\n    child <<<dim3(2, 2),\n 32, 0, s>>> (a);\n}",
          "__device__ int f() {\n  if (x)\n    " LAUNCH("1", "child",
                                                        "(dim3(2, 2),\n 32, 0, s)") " (a);\n}");
}

static void arguments_are_counted(void **state) {
  (void)state;
  becomes(
      "__global__ void f() { g<<<1, 1>>>(a[i, j], h(b, c), \",)\", {1, 2}); }",
      "__global__ void f() { " LAUNCH("4", "g", "(1, 1)") "(a[i, j], h(b, c), \",)\", {1, 2}); }");
  becomes("__global__ void f() { g<<<1, 1>>>( /* a, b */ ); }",
          "__global__ void f() { " LAUNCH("0", "g", "(1, 1)") "( /* a, b */ ); }");
}

static void names_may_be_templates_and_stand_in_namespaces(void **state) {
  (void)state;
  becomes("__global__ void f() { a::b<T, 4><<<n >> 2, g(1)>>>(); }",
          "__global__ void f() { " LAUNCH("0", "a::b<T, 4>", "(n >> 2, g(1))") "(); }");
  becomes("template <int N> __global__ void f() { f<N - 1><<<1, 1>>>(); }",
          "template <int N> __global__ void f() { " LAUNCH("0", "f<N - 1>", "(1, 1)") "(); }");
}

static void launches_of_the_host_stay(void **state) {
  (void)state;
  stays("int main() { child<<<1, 32>>>(a); }");
  stays("__global__ void f(int); void g() { f<<<1, 1>>>(2); }");
  stays("__device__ int x[2] = {1, 2}; void g() { f<<<1, 1>>>(2); }");
  becomes("__global__ void f() { f<<<1, 1>>>(); }\nvoid g() { f<<<2, 2>>>(); }",
          "__global__ void f() { " LAUNCH("0", "f", "(1, 1)") "(); }\nvoid g() { f<<<2, 2>>>(); }");
}

static void marks_that_stand_apart_are_joined(void **state) {
  (void)state;
  becomes("void g() { f << < 1, n >> 2 >> >(2); }", "void g() { f <<< 1, n >> 2 >>>(2); }");
  becomes("void g() { f<<\n<1, 1>>>(2); }", "void g() { f<<<\n1, 1>>>(2); }");
  becomes("__global__ void f() { f << <1, 1>> >(); }",
          "__global__ void f() { " LAUNCH("0", "f", "(1, 1)") "(); }");
  stays("A<B<C<int>> > x; void g() { f<<<1, 1>>>(2); A<B<C<int>> > y; }");
}

static void comments_and_literals_are_no_launches(void **state) {
  (void)state;
  stays("__global__ void f() { // child<<<1, 1>>>(a);\n }");
  stays("__global__ void f() { /* child<<<1, 1>>>(a); */ printf(\"a<<<1,1>>>()\\\"{\"); }");
  stays("// __global__ {\nvoid g() { char c = '{'; long n = 1'000'000; f<<<1, 1>>>(2); }");
}

static void literals_may_be_raw(void **state) {
  (void)state;
  stays("const char *s = R\"(\" __global__ { f<<<1, 1>>>(); )\"; void g() { f<<<1, 1>>>(2); }");
  stays("const char *s = R\"x( )\" __device__ { )x\"; void g() { f<<<1, 1>>>(2); }");
  stays("const char *s = R\"x( )\" __device__ {");
}

static void branches_of_a_condition_begin_alike(void **state) {
  (void)state;
  stays(
      "#ifdef A\n__global__ void f(int a) {\n#else\n__global__ void f() {\n#endif\n}\n"
      "void g() { f<<<1, 1>>>(2); }");
  becomes(
      "__global__ void f() {\n#if A\n if (a) {\n#elif B\n if (b) {\n#endif\n}\n"
      "f<<<1, 1>>>(); }",
      "__global__ void f() {\n#if A\n if (a) {\n#elif B\n if (b) {\n#endif\n}\n" LAUNCH(
          "0", "f", "(1, 1)") "(); }");
  stays("#else\n#endif\n#endif\n#");
}

static void noinline_is_an_attribute(void **state) {
  (void)state;
  becomes("__device__ __noinline__ int f();", "__device__ __attribute__((noinline)) int f();");
  becomes("#define SLOW __noinline__\n", "#define SLOW __attribute__((noinline))\n");
  stays("__attribute__((__noinline__)) int f();");
  stays("__attribute__((cold, __noinline__)) int f(); [[gnu::__noinline__]] int g();");
  stays("#ifndef __noinline__\n#define __noinline__ int\n#endif\n#undef __noinline__");
  stays("#if defined(__noinline__) || defined __noinline__\n#endif\nint my__noinline__;");
}

static void bytes_can_stay_in_their_places(void **state) {
  (void)state;
  static const char from[] =
      "__noinline__ __device__ int f() { g<<<1, 1>>>(); }\n"
      "void h() { k<<  <1, 1>>\n>(); } __attribute__((__noinline__)) int i;";
  static const char to[] =
      "             __device__ int f() { g<<<1, 1>>>(); }\n"
      "void h() { k<<<  1, 1>>>\n(); } __attribute__((__noinline__)) int i;";
  char *out;
  assert_true(source_rewrite_in_place(from, strlen(from), &out));
  assert_string_equal(out, to);
  free(out);
  assert_false(source_rewrite_in_place(to, strlen(to), &out));
  assert_null(out);
}

static void what_is_broken_stays(void **state) {
  (void)state;
  stays("");
  stays("__global__ void f() { child<<<1, 1; }");
  stays("__global__ void f() { <<<1, 1>>>(); }");
  stays("}}}} __global__ {{{ \"");
  stays("__global__ /*");
}

static void registers_in_assembly_get_two_marks(void **state) {
  (void)state;
  becomes("__device__ void f() { asm(\"mov.u32 %0, %laneid;\" : \"=r\"(x)); }",
          "__device__ void f() { asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x)); }");
  becomes("__global__ void f() { asm volatile(\"a %%b, %c; \"\n /* : */ \"%d\" :: \"r\"(x)); }",
          "__global__ void f() { asm volatile(\"a %%b, %%c; \"\n /* : */ \"%%d\" :: \"r\"(x)); }");
  stays("__device__ void f() { asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x)); }");
  stays("__device__ void f() { asm(\"bar.sync %laneid;\"); }");
  stays("__device__ void f() { asm(MACRO \"%laneid\" : \"=r\"(x)); }");
  becomes("BOTH void f() { asm(\"mov.u64 %0, %globaltimer;\" : \"=l\"(x)); }",
          "BOTH void f() { asm(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(x)); }");
  becomes("__device__ void f() { __shared__\n alignas(16) int a[4]; alignas(8) int b; }",
          "__device__ void f() { __shared__\n __align__(16) int a[4]; alignas(8) int b; }");
  stays("void f() { asm(\"movb %b0, %al\" : \"=r\"(x)); }");
  stays("__device__ void f() { asm(\"mov %[a], %0;\" : \"=r\"(x)); asm");
  stays("__device__ void f() { asm(\"%");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_launch_in_a_kernel_is_written_anew),
      cmocka_unit_test(arguments_are_counted),
      cmocka_unit_test(names_may_be_templates_and_stand_in_namespaces),
      cmocka_unit_test(launches_of_the_host_stay),
      cmocka_unit_test(marks_that_stand_apart_are_joined),
      cmocka_unit_test(comments_and_literals_are_no_launches),
      cmocka_unit_test(literals_may_be_raw),
      cmocka_unit_test(branches_of_a_condition_begin_alike),
      cmocka_unit_test(noinline_is_an_attribute),
      cmocka_unit_test(bytes_can_stay_in_their_places),
      cmocka_unit_test(what_is_broken_stays),
      cmocka_unit_test(registers_in_assembly_get_two_marks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
