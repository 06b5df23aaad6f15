// SPDX-License-Identifier: MIT
// nvcc's command line as heddle cc reads it.
#include "cc/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/cmocka_all.h"

#define PARSE(...)                     \
  const char *words[] = {__VA_ARGS__}; \
  CcRequest request;                   \
  Error err = {0};                     \
  Status status = cc_request_parse(&request, (int)(sizeof words / sizeof *words), words, &err)

static void assert_words(const Words *words, const char *expected) {
  char text[512] = "";
  for (int i = 0; i < words->count; i++) {
    strcat(text, i ? " " : "");
    strcat(text, words->items[i]);
  }
  assert_string_equal(text, expected);
}

static void values_stand_behind_equals_or_in_the_next_word_or_attached(void **state) {
  (void)state;
  PARSE("-Ia", "-I", "b", "--include-path=c", "-DX=1", "--define-macro", "Y", "-O3", "prog.cu",
        "-o", "prog");
  assert_int_equal(status, OK);
  assert_words(&request.compile, "-I a -I b -I c -DX=1 -DY -O3");
  assert_string_equal(request.output, "prog");
  assert_int_equal(request.input_count, 1);
  assert_int_equal(request.stage, CC_LINK);
  assert_int_equal(request.sm, 70);
  cc_request_clear(&request);
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void options_may_be_in_files(void **state) {
  (void)state;
  char outer[] = "/tmp/heddle-options-XXXXXX", inner[64], text[256];
  int file = mkstemp(outer);
  assert_true(file >= 0);
  close(file);
  snprintf(inner, sizeof inner, "%s.inner", outer);
  snprintf(text, sizeof text, "-I\"a b\"\n-optf %s\n", inner);
  write_text(outer, text);
  write_text(inner, "-DX -O1");
  PARSE("--options-file", outer, "prog.cu");
  assert_int_equal(status, OK);
  assert_words(&request.compile, "-I a b -DX -O1");
  cc_request_clear(&request);
  snprintf(text, sizeof text, "--options-file=%s", outer);
  write_text(outer, text);  // itself
  const char *again[] = {text, "prog.cu"};
  assert_int_equal(cc_request_parse(&request, 2, again, &err), ERR_USAGE);
  assert_non_null(strstr(err.text, "nested"));
  cc_request_clear(&request);
  unlink(outer), unlink(inner);
  assert_int_not_equal(cc_request_parse(&request, 2, again, &err), OK);
  cc_request_clear(&request);
}

static void kernels_are_optimised_unless_debugged(void **state) {
  (void)state;
  PARSE("-O0", "-G", "a.cu");
  assert_int_equal(status, OK);
  assert_true(request.device_debug);
  assert_false(request.device_optimized);
  assert_words(&request.compile, "-O0");
  assert_words(&request.compile_device, "-g");
  cc_request_clear(&request);
  const char *both[] = {"-G", "-dopt", "on", "a.cu"};
  assert_int_equal(cc_request_parse(&request, 4, both, &err), OK);
  assert_true(request.device_debug && request.device_optimized);
  cc_request_clear(&request);
}

static void the_highest_known_architecture_wins(void **state) {
  (void)state;
  PARSE("-gencode", "arch=compute_61,code=sm_61", "-gencode=arch=compute_80,code=compute_80",
        "-arch=sm_20", "a.cu");
  assert_int_equal(status, OK);
  assert_int_equal(request.sm, 80);
  assert_int_equal(request.notes.count, 1);  // of sm_20
  assert_int_equal(cc_arch_known(90), 86);
  assert_int_equal(cc_arch_known(13), 35);
  assert_int_equal(cc_arch_known(71), 70);
  cc_request_clear(&request);
}

static void languages_follow_names_or_are_forced(void **state) {
  (void)state;
  PARSE("a.cu", "b.cpp", "c.c", "d.o", "e.cc");
  assert_int_equal(status, OK);
  assert_int_equal(request.inputs[0].language, CC_CUDA);
  assert_int_equal(request.inputs[1].language, CC_CPLUSPLUS);
  assert_int_equal(request.inputs[2].language, CC_C);
  assert_int_equal(request.inputs[3].language, CC_FOR_LINKER);
  assert_int_equal(request.inputs[4].language, CC_CPLUSPLUS);
  cc_request_clear(&request);
  const char *forced[] = {"-x", "cu", "b.cpp", "d.o"};
  assert_int_equal(cc_request_parse(&request, 4, forced, &err), OK);
  assert_int_equal(request.inputs[0].language, CC_CUDA);
  assert_int_equal(request.inputs[1].language, CC_FOR_LINKER);
  cc_request_clear(&request);
}

static void lists_for_other_tools_are_taken_apart(void **state) {
  (void)state;
  PARSE("-Xcompiler", "-Wall -fPIC,-O1", "-Xlinker=-z,now", "-lm", "-lcudart", "-lcublas_static",
        "-lculibos", "-lx_static", "-L/x", "-Xptxas", "-v", "a.cu");
  assert_int_equal(status, OK);
  assert_words(&request.compile, "-Wall -fPIC -O1");
  assert_words(&request.link, "-Wall -fPIC -O1 -Wl,-z,now -lm -lcublas -lx_static -L/x");
  cc_request_clear(&request);
}

static void answers_have_an_effect_where_they_differ_from_the_usual(void **state) {
  (void)state;
  PARSE("-fmad=true", "-ftz=false", "-prec-div", "false", "-rdc=true", "a.cu");
  assert_int_equal(status, OK);
  assert_words(&request.compile_cuda, "-mllvm -nvptx-prec-divf32=1");
  assert_true(request.relocatable);
  cc_request_clear(&request);
}

static void assert_refused(int count, const char *const *words, Status expected, const char *part) {
  CcRequest request;
  Error err = {0};
  assert_int_equal(cc_request_parse(&request, count, words, &err), expected);
  assert_non_null(strstr(err.text, part));
  cc_request_clear(&request);
}

static void mistakes_are_named(void **state) {
  (void)state;
  assert_refused(1, (const char *[]){"-c"}, ERR_USAGE, "no input file");
  assert_refused(2, (const char *[]){"a.cu", "-o"}, ERR_USAGE, "-o needs a value");
  assert_refused(2, (const char *[]){"a.cu", "-c=1"}, ERR_USAGE, "takes no value");
  assert_refused(2, (const char *[]){"a.cu", "-cubin"}, ERR_UNSUPPORTED, "machine code");
  assert_refused(2, (const char *[]){"a.cu", "-m32"}, ERR_UNSUPPORTED, "64-bit");
  assert_refused(2, (const char *[]){"a.cu", "--linenifo"}, ERR_USAGE, "lineinfo");
  assert_refused(2, (const char *[]){"a.cu", "-rdc=yes"}, ERR_USAGE, "true or false");
  assert_refused(2, (const char *[]){"a.cpp", "-ptx"}, ERR_USAGE, "a.cpp");
  assert_refused(2, (const char *[]){"a.o", "-c"}, ERR_USAGE, "a.o: unsupported input file type");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_stand_behind_equals_or_in_the_next_word_or_attached),
      cmocka_unit_test(kernels_are_optimised_unless_debugged),
      cmocka_unit_test(the_highest_known_architecture_wins),
      cmocka_unit_test(languages_follow_names_or_are_forced),
      cmocka_unit_test(lists_for_other_tools_are_taken_apart),
      cmocka_unit_test(answers_have_an_effect_where_they_differ_from_the_usual),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(options_may_be_in_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
