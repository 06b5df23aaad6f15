// SPDX-License-Identifier: MIT
// Kernels of two compilations of one source are combined only where that is safe.
#include "cc/ptx_text.h"

#include <stdlib.h>
#include <string.h>

#include "unit/cmocka_all.h"

#define START ".version 7.5\n.target sm_70\n"
#define GLOBAL ".global .u32 table[2] = {1, 2};\n"
#define KERNEL(name, body) \
  "\t// .globl\t" name "\n.visible .entry " name "(\n\t.param .u32 " name "_0\n)\n{\n" body "}\n"
#define HELPER(body) ".func  (.param .b32 func_retval0) helper(\n\t.param .b32 p\n)\n{\n" body "}\n"
#define DEPOT(bytes) "\t.local .align 4 .b8 \t__local_depot0[" #bytes "];\n"
#define FILES "\t.file\t1 \"a.cu\"\n"

static void assert_improved(const char *text, const char *other, const char *expected) {
  PtxText it, its;
  ptx_text_init(&it, text);
  ptx_text_init(&its, other);
  assert_int_equal(ptx_text_can_improve(&it, &its), strcmp(text, expected) != 0);
  ptx_text_improve(&it, &its);
  char *printed;
  size_t length;
  FILE *file = open_memstream(&printed, &length);
  ptx_text_print(&it, file);
  fclose(file);
  assert_string_equal(printed, expected);
  free(printed);
  ptx_text_clear(&it);
  ptx_text_clear(&its);
}

static void any_text_is_kept(void **state) {
  (void)state;
  static const char *const texts[] = {"",
                                      "\n",
                                      "{",
                                      "}\n{\n}\n",
                                      "{\n}\n",
                                      START FILES,
                                      ".func (\n{\n}\n",
                                      ".entry",
                                      START KERNEL("a", "\tret;\n") "{"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_improved(texts[i], texts[i], texts[i]);
}

static void local_memory_of_kernels_is_counted(void **state) {
  (void)state;
  PtxText it;
  ptx_text_init(&it, START HELPER(DEPOT(8) "\tret;\n") KERNEL("a", DEPOT(288) "\tret;\n")
                         KERNEL("b", DEPOT(16) "\tret;\n"));
  assert_int_equal(it.count, 3);
  assert_false(it.functions[0].is_kernel);
  assert_memory_equal(it.functions[0].name.at, "helper(", 7);
  assert_memory_equal(it.functions[1].name.at, "a(", 2);
  assert_int_equal(it.functions[0].local_bytes, 8);
  assert_int_equal(ptx_text_local_bytes(&it), 288 + 16);
  ptx_text_clear(&it);
}

static void each_kernel_is_taken_where_it_has_less_local_memory(void **state) {
  (void)state;
  assert_improved(START GLOBAL KERNEL("a", DEPOT(288) "\tone;\n") KERNEL("b", "\tone;\n")
                      KERNEL("c", DEPOT(8) "\tone;\n") FILES,
                  START KERNEL("a", "\ttwo;\n") KERNEL("b", "\ttwo;\n")
                      KERNEL("c", DEPOT(8) "\ttwo;\n") FILES,
                  START GLOBAL KERNEL("a", "\ttwo;\n") KERNEL("b", "\tone;\n")
                      KERNEL("c", DEPOT(8) "\tone;\n") FILES);
}

static void braces_of_inline_assembly_are_part_of_the_body(void **state) {
  (void)state;
#define ASSEMBLY "\t// begin inline asm\n\t{\n{\n}\n}\n\t// end inline asm\n"
  assert_improved(START KERNEL("a", DEPOT(8) ASSEMBLY "\tone;\n"),
                  START KERNEL("a", ASSEMBLY "\ttwo;\n"), START KERNEL("a", ASSEMBLY "\ttwo;\n"));
}

// A variable that only the other has, or another line table.
static void undeclared_names_are_not_used(void **state) {
  (void)state;
  static const char text[] = START KERNEL("a", DEPOT(8) "\tone;\n") FILES;
  assert_improved(text, START GLOBAL KERNEL("a", "\ttwo;\n") FILES, text);
  assert_improved(text, START KERNEL("a", "\ttwo;\n") "\t.file\t1 \"b.cu\"\n", text);
  assert_improved(text, START HELPER("\tret;\n") KERNEL("a", "\ttwo;\n") FILES, text);
}

static void called_functions_must_be_the_same(void **state) {
  (void)state;
#define CALL "\tcall.uni (retval0), \n\thelper, \n\t(\n\tparam0\n\t);\n"
  static const char text[] = START HELPER("\tone;\n") KERNEL("a", DEPOT(8) CALL);
  assert_improved(text, START HELPER("\ttwo;\n") KERNEL("a", CALL), text);
  assert_improved(text, START HELPER("\ttwo;\n") KERNEL("a", "\tmy_helper, helper_2;\n"),
                  START HELPER("\tone;\n") KERNEL("a", "\tmy_helper, helper_2;\n"));
  assert_improved(text, START HELPER("\tone;\n") KERNEL("a", CALL "\ttwo;\n"),
                  START HELPER("\tone;\n") KERNEL("a", CALL "\ttwo;\n"));
  // Inlined: it is no longer there.
  assert_improved(text, START KERNEL("a", "\ttwo;\n"),
                  START HELPER("\tone;\n") KERNEL("a", "\ttwo;\n"));
}

static void other_parameters_make_another_kernel(void **state) {
  (void)state;
  static const char text[] = START KERNEL("a", DEPOT(8) "\tone;\n");
  assert_improved(text, START ".visible .entry a(\n\t.param .u64 a_0\n)\n{\n\ttwo;\n}\n", text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_text_is_kept),
      cmocka_unit_test(local_memory_of_kernels_is_counted),
      cmocka_unit_test(each_kernel_is_taken_where_it_has_less_local_memory),
      cmocka_unit_test(braces_of_inline_assembly_are_part_of_the_body),
      cmocka_unit_test(undeclared_names_are_not_used),
      cmocka_unit_test(called_functions_must_be_the_same),
      cmocka_unit_test(other_parameters_make_another_kernel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
