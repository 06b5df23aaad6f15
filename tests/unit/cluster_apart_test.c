// SPDX-License-Identifier: MIT
// A function in a process of its own: its error comes back, and its crash is one.
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "clustering/rewrite/apart.h"
#include "cmocka_all.h"

static Status succeed(void *context, Error *err) {
  (void)err;
  *(int *)context = 7;
  return OK;
}

static Status fail_with_text(void *context, Error *err) {
  return error_set(err, ERR_SYNTAX, "%s is wrong", (const char *)context);
}

static Status crash(void *context, Error *err) {
  (void)context;
  (void)err;
  raise(SIGABRT);
  return OK;
}

static Status leave(void *context, Error *err) {
  (void)context;
  (void)err;
  _Exit(5);
}

// As deep as libclang may go, far beyond a usual stack.
static int use_stack(int levels) {
  volatile char page[4096];
  page[0] = (char)levels;
  return levels ? use_stack(levels - 1) + page[0] - (char)levels : 0;
}

static Status go_deep(void *context, Error *err) {
  return use_stack(*(int *)context) ? error_set(err, ERR_INTERNAL, "not 0") : OK;
}

static void a_function_runs_and_changes_nothing_here(void **state) {
  (void)state;
  Error err = {0};
  int value = 1;
  assert_int_equal(apart_run(succeed, &value, "in.cu", &err), OK);
  assert_int_equal(value, 1);
}

static void an_error_comes_back_with_its_text(void **state) {
  (void)state;
  Error err = {0};
  assert_int_equal(apart_run(fail_with_text, "this", "in.cu", &err), ERR_SYNTAX);
  assert_string_equal(err.text, "this is wrong");
  assert_int_equal(apart_run(fail_with_text, "this", "in.cu", NULL), ERR_SYNTAX);
}

static void a_crash_is_an_error_that_names_the_input(void **state) {
  (void)state;
  Error err = {0};
  assert_int_equal(apart_run(crash, NULL, "in.cu", &err), ERR_UNSUPPORTED);
  assert_non_null(strstr(err.text, "in.cu cannot be rewritten"));
  assert_non_null(strstr(err.text, "crashed (signal 6"));
  assert_int_equal(apart_run(leave, NULL, "in.cu", &err), ERR_INTERNAL);
  assert_non_null(strstr(err.text, "in.cu: the rewriter exited with status 5"));
}

static void there_are_hundreds_of_megabytes_of_stack(void **state) {
  (void)state;
  Error err = {0};
  int levels = 50000;
  assert_int_equal(apart_run(go_deep, &levels, "in.cu", &err), OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_function_runs_and_changes_nothing_here),
      cmocka_unit_test(an_error_comes_back_with_its_text),
      cmocka_unit_test(a_crash_is_an_error_that_names_the_input),
      cmocka_unit_test(there_are_hundreds_of_megabytes_of_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
