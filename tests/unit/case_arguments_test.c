// SPDX-License-Identifier: MIT
// Arguments of a case file's launch: sizes, ranges and mistakes.
#include "runner/case/case_arguments.h"

#include <string.h>

#include "unit/cmocka_all.h"

static Error err;
static uint8_t block[32];

static Status pack(DataType type, uint32_t size_bytes, CaseValue value) {
  Slot slot = {.name = "p", .offset = 8, .size_bytes = size_bytes, .type = type};
  Function kernel = {.name = "k", .params = &slot, .param_count = 1, .param_bytes = 32};
  CaseLaunch launch = {.kernel = "k", .args = &value, .arg_count = 1};
  memset(block, 0, sizeof block);
  return case_arguments_pack(&kernel, &launch, block, &err);
}

static CaseValue integer(int64_t value) {
  return (CaseValue){CASE_INTEGER, "i:?", (uint64_t)value, value < 0, 0};
}

static CaseValue number(double value) {
  return (CaseValue){CASE_FLOAT, "f:?", 0, false, value};
}

static void integers_take_the_size_of_their_parameter(void **state) {
  (void)state;
  assert_int_equal(pack(TYPE_U32, 4, integer(-2)), OK);
  assert_memory_equal(block + 8, "\xfe\xff\xff\xff\0\0\0\0", 8);
  assert_int_equal(pack(TYPE_B64, 8, integer(-2)), OK);
  assert_memory_equal(block + 8, "\xfe\xff\xff\xff\xff\xff\xff\xff\0", 9);
  assert_int_equal(pack(TYPE_U8, 1, integer(255)), OK);
  assert_memory_equal(block + 7, "\0\xff\0", 3);
}

static void integers_that_do_not_fit_are_refused(void **state) {
  (void)state;
  assert_int_equal(pack(TYPE_U8, 1, integer(256)), ERR_SYNTAX);
  assert_int_equal(pack(TYPE_S8, 1, integer(-128)), OK);
  assert_int_equal(pack(TYPE_S8, 1, integer(-129)), ERR_SYNTAX);
  assert_int_equal(pack(TYPE_U32, 4, integer(0xffffffff)), OK);
  assert_int_equal(pack(TYPE_U32, 4, integer(0x100000000)), ERR_SYNTAX);
  assert_string_equal(err.text, "argument i:? for parameter p (.u32, 4 bytes): does not fit");
}

static void floats_are_single_or_double_as_the_parameter_is(void **state) {
  (void)state;
  float single = 0.1f;
  double twice = 0.1;
  assert_int_equal(pack(TYPE_F32, 4, number(0.1)), OK);
  assert_memory_equal(block + 8, &single, 4);
  assert_int_equal(pack(TYPE_B32, 4, number(0.1)), OK);
  assert_memory_equal(block + 8, &single, 4);
  assert_int_equal(pack(TYPE_F64, 8, number(0.1)), OK);
  assert_memory_equal(block + 8, &twice, 8);
  assert_int_equal(pack(TYPE_U16, 2, number(0.1)), ERR_SYNTAX);
}

static void what_cannot_be_meant_is_refused(void **state) {
  (void)state;
  assert_int_equal(pack(TYPE_F32, 4, integer(1)), ERR_SYNTAX);
  assert_int_equal(pack(TYPE_B8, 12, integer(1)), ERR_SYNTAX);
  CaseLaunch launch = {.kernel = "k"};
  Function kernel = {.name = "k", .param_count = 3};
  assert_int_equal(case_arguments_pack(&kernel, &launch, block, &err), ERR_SYNTAX);
  assert_string_equal(err.text, "kernel k takes 3 arguments, not 0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_take_the_size_of_their_parameter),
      cmocka_unit_test(integers_that_do_not_fit_are_refused),
      cmocka_unit_test(floats_are_single_or_double_as_the_parameter_is),
      cmocka_unit_test(what_cannot_be_meant_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
